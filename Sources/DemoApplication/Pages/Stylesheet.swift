/// The only stylesheet: system fonts, calm colors, light and dark according to the system, and one column on a phone.
enum Stylesheet {
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f5f4f0; --card: #ffffff; --ink: #1d1d1f; --soft: #6a6a70; --line: #e3e1da; --leaf: #2f6b4a; --leaf-soft: #e8f1eb;
          --apple: #000000; --on-apple: #ffffff;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #161715; --card: #20211f; --ink: #f2f2ef; --soft: #a3a49f; --line: #343632; --leaf: #8cc7a3; --leaf-soft: #24342b;
            --apple: #ffffff; --on-apple: #000000;
          }
        }
        * { box-sizing: border-box; margin: 0; }
        body {
          background: var(--ground); color: var(--ink); max-width: 60rem; margin: 0 auto; padding: 0 1.25rem;
          font: 1rem/1.5 -apple-system, BlinkMacSystemFont, system-ui, "Segoe UI", "Helvetica Neue", sans-serif;
          -webkit-font-smoothing: antialiased;
        }
        header { display: flex; align-items: center; justify-content: space-between; padding: 1.5rem 0; }
        .mark { display: flex; align-items: center; gap: .55rem; color: var(--leaf); font-weight: 600; text-decoration: none; }
        .mark span { color: var(--ink); letter-spacing: -.01em; }
        .place, .fine { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
        main { padding: 2rem 0 3rem; }
        h1 { font-size: clamp(1.75rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.025em; font-weight: 650; text-wrap: balance; }
        h2 { font-size: 1.125rem; letter-spacing: -.01em; font-weight: 600; }
        .lead { color: var(--soft); font-size: 1.125rem; max-width: 38rem; margin: .9rem 0 2rem; }
        .cards { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); margin-bottom: 1.25rem; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.5rem; min-width: 0; }
        .card > * + * { margin-top: .75rem; }
        .chip {
          display: inline-block; background: var(--leaf-soft); color: var(--leaf); border-radius: 1rem; padding: .1rem .7rem;
          font-size: .8125rem; font-weight: 500;
        }
        .usage { color: var(--soft); }
        .usage strong {
          color: var(--ink); font-size: 2.25rem; line-height: 1.2; font-weight: 600; letter-spacing: -.03em; margin-right: .3rem;
          font-variant-numeric: tabular-nums;
        }
        .apple {
          display: flex; align-items: center; justify-content: center; gap: .5rem; height: 2.75rem; min-width: 8.75rem;
          background: var(--apple); color: var(--on-apple); border-radius: .5rem; font-size: 1.1875rem; font-weight: 500;
          text-decoration: none; letter-spacing: -.01em;
        }
        .apple svg { margin-top: -.2rem; }
        .person {
          display: grid; grid-template-columns: auto 1fr auto; align-items: center; column-gap: 1.25rem; row-gap: 1rem;
          margin-bottom: 1.25rem;
        }
        .person > * + * { margin-top: 0; }
        .person h1 { font-size: 1.625rem; }
        .person .chip { margin-top: .5rem; }
        .who { min-width: 0; overflow-wrap: anywhere; }
        .avatar {
          width: 4rem; height: 4rem; border-radius: 50%; display: grid; place-items: center; background: var(--leaf-soft);
          color: var(--leaf); font-size: 1.75rem; font-weight: 600;
        }
        .actions { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .75rem; border-top: 1px solid var(--line); padding-top: 1rem; }
        button, .button {
          display: inline-block; font: inherit; font-size: .9375rem; font-weight: 500; border: 1px solid transparent; border-radius: .5rem;
          padding: .45rem 1rem; background: var(--leaf); color: var(--card); text-decoration: none; cursor: pointer;
        }
        button.quiet { background: transparent; color: var(--ink); border-color: var(--line); }
        a:focus-visible, button:focus-visible { outline: 3px solid var(--leaf); outline-offset: 2px; }
        code, pre { font: .8125rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
        code { background: var(--ground); border-radius: .35rem; padding: .15rem .4rem; overflow-wrap: anywhere; }
        pre { background: var(--ground); border-radius: .6rem; padding: .9rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
        .note { border-left: 3px solid var(--leaf); padding-left: .8rem; }
        .refusal { max-width: 38rem; margin: 2rem auto; padding: 2.25rem; }
        .refusal h1 { font-size: 1.75rem; }
        footer {
          border-top: 1px solid var(--line); padding: 1.5rem 0 3rem; color: var(--soft); font-size: .8125rem; display: grid; gap: 1.25rem;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr));
        }
        footer b { color: var(--ink); font-weight: 600; }
        footer a { color: inherit; }
        @media (max-width: 36rem) {
          main { padding-top: .5rem; }
          .person { grid-template-columns: auto 1fr; }
          .person .usage { grid-column: 1 / -1; }
        }
        """
}
