"""Writes the list of common passwords into Sources/Factors/Passwords/CommonPasswords+Words.swift.

The source is the list of passwords of zxcvbn 4.4.2 (MIT license, NOTICE): the lowercased ASCII passwords that occur more than 10 times in
Mark Burnett's ten million. This script keeps those with at least 8 characters, because a shorter password is refused anyway. Run it by
hand to change the list:

    curl -o /tmp/passwords.txt https://raw.githubusercontent.com/dropbox/zxcvbn/3bf5a6cf3aa916dabb4c4e73a6ae24277ab36170/data/passwords.txt
    python3 script/passwords/common.py /tmp/passwords.txt

It fails if the file is another one.
"""

import hashlib
import pathlib
import sys

DIGEST = "6313cc5ef683a0461416318ee3b16f3d771a3cd10ea2aae54571d27ff95d951f"
LEAST = 8
WIDTH = 132
WORDS = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/Factors/Passwords/CommonPasswords+Words.swift"


def lines(words):
    """The words in lines of at most `WIDTH` characters."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def main():
    content = pathlib.Path(sys.argv[1]).read_bytes()
    if hashlib.sha256(content).hexdigest() != DIGEST:
        sys.exit(f"common: {sys.argv[1]} is not the list of zxcvbn 4.4.2.")
    # Each line has a password and its count.
    words = sorted({line.split()[0] for line in content.decode("ascii").splitlines()} - {""})
    words = [word for word in words if len(word) >= LEAST]
    # In a string literal of Swift, these would have a meaning.
    if any('"' in word or "\\" in word for word in words):
        sys.exit("common: a word contains a quotation mark or a backslash.")
    body = "\n".join(f"        {line}" for line in lines(words))
    WORDS.write_text(f'''extension CommonPasswords {{
    /// Written by script/passwords/common.py: {len(words)} passwords of zxcvbn, MIT license (NOTICE), sorted by bytes.
    static let words: StaticString = """
{body}
        """
}}
''', encoding="ascii")


if __name__ == "__main__":
    main()
