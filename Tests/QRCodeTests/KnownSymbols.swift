/// Symbols of another implementation, qrcodegen 1.8.0 for Python, in byte mode with level M.
enum KnownSymbols {
    /// The symbols of the versions 1 to 10 with the masks 0 to 7, 0 and 1: each row as a hexadecimal number, in which the highest bit is
    /// the module at the left. `content` has their contents.
    static let rows = [
        """
        1fc37f 105841 174a5d 174a5d 17515d 104141 1fd57f 000300 154212 0192d1 17f117 092ea1 0af30a 00157b 1fcbb7 1045a0 175a32
        17475a 1753bd 104202 1fd7bb
        """,
        """
        1fd287f 1046141 175bd5d 174cd5d 1743c5d 1057141 1fd557f 0006500 1466325 1b3b943 0bcda0d 06af3f8 0e58169 0494ac3 1ae2f65
        048041b 1bcb3f0 001d319 1fdd955 1043718 174d3f2 17404ba 175f5bf 10463c8 1fd8529
        """,
        """
        1fc5937f 10456d41 1750255d 1756fc5d 17501b5d 105f7d41 1fd5557f 00107400 17c08a7c 11009773 135bf428 013521aa 08eaea0e
        0a991f79 004fa998 022764ba 07cbd8ac 14829ff9 14dcf860 11bc7469 10e5e9f5 001a9717 1fcb6750 10586313 175b3dff 17590707
        175aa096 104b3322 1fdcfe24
        """,
        """
        1fd247e7f 105050641 17408615d 175c3355d 17465c15d 1040d6541 1fd55557f 00194f000 16e23ed4b 1107c3aed 0c4f95b8b 15a6173ca
        1260626b9 1515dcd0a 064d4a9f8 0eb1f6e4f 13e68345e 10af6d7f1 1b52e5126 02a37d3a3 12f67a904 181e39b49 014240783 0b2253168
        157b6a7fb 0010ba518 1fd01a358 1054d0f1c 17487cff5 175bc03a1 175be4244 104b1c7a1 1fd05fa74
        """,
        """
        1fdd720d7f 104fe71841 1744bc875d 1759060f5d 175b84295d 105b479941 1fd555557f 001c98c400 1171917bf9 0b184ecd5a 0ef82d2b54
        16aa7de656 067c8ac067 0a05f83230 177861639c 143e0d83d5 06e7af48f5 0e1fd2c9d2 114dd82260 101448e175 0065ebe1ce 0db7f42fb2
        0073203384 1e011cb255 02e10249ce 1b8b0a4ef0 07e73ce208 01b979a7a7 19e90a93f5 0015f5a71a 1fd478f956 1043c9a514 1759f3a5fe
        174c1243eb 1740bdb4e4 10447e8106 1fd16e929f
        """,
        """
        1fc5fe6697f 105cfc88141 1751e0b465d 175e311f25d 174bada5b5d 1042fd01941 1fd5555557f 0018f542100 105e3b5bece 1b31ff6e77b
        165e1c1e49c 1993f6556d8 09547a33162 0817be415b2 05c50ddad18 1330f1553d6 0142ffc6024 02ad31751f5 15d9eb67f55 1a150414491
        02d223f603d 03aca3aaeb4 176614ce900 1a356137099 0eeed22825e 1105e72ba3a 195fbd07010 0aa874725bd 12f3d149b2e 12aa610569a
        1ef176f7e75 128b8314433 155420e53fe 00107040314 1fcc750215c 1043f560319 174a9ea9bfc 1748c7e6485 174f35871f4 1045c82041d
        1fdbac6ea90
        """,
        """
        1fd92da7f17f 105165b53a41 175174cbea5d 174e4c87fb5d 1759edfc5f5d 1042951a8841 1fd55555557f 000295113d00 13f807f94397
        0e08e5fff7fe 0a5c95527c87 12ac36e75537 1251dc7952d0 1abefb37cb47 09ddc03b68e8 0e2a37e7a21d 02e835343205 02bc7659479b
        0be7075fd2f3 038c7dab58f4 15f29ffb83fb 0311051ddd1c 0b59815c315f 131f6914cb14 03ff83f5d3f3 09b10474fbe2 146652ef6014
        06a72e96286f 1afb5a22f6d8 03bef67a7d3e 145d3ab64b5d 1c2a47bac38f 064194cdc05f 1883b48eec75 01725c162ae3 0f141e92c154
        1353dffd97f7 001c4116c114 1fdebf592156 105fb71e3d1d 175fc9fc39fb 1755e0eacf3f 174419731995 10404afc4c4f 1fde3cb56420
        """,
        """
        1fcc3cf6ed97f 1048010e8ef41 174779f26f35d 1748a8420025d 17438f7efb05d 10542947e6441 1fd555555557f 000070c5c4800
        12dffaffe9ba0 149bfcea0101b 0b77d319d9073 0e95ae0f2c791 047b59f777b76 0f3e138a2590d 01fb7512dca91 1e3f0d0a1ca91
        17ec813277d9a 1009bdf690480 134d5955c4427 1589e471aebb7 0a60781fa90ea 0a8734e1a2208 0ff1f37ebdbff 01110b443e510
        115ee0577f750 1d119ec70f11b 11f140fdcbdfb 0eab16e3fbf88 047f1736115cf 153413a7b0f39 0acd7a16658fb 108e12fdac617
        09f65af7e1dad 158d648e1288a 17fdec5559173 1a9f3bcc5a1f0 08d61f7f378e1 0b2b9a8036902 08f760a981d69 0e1b00a0ca4d0
        1c4e287e9f5f7 0015654531719 1fc16fd5b475b 105c5fc699316 174102ffa9ffc 17532c980a2d0 174c005cffe1c 10460b469ae90
        1fdae67ffb95f
        """,
        """
        1fc7f2f5df647f 105031e83e7e41 174ccc4e41725d 174a2c0a80855d 17540d3fc4545d 104dd2b137c441 1fd5555555557f 00062f71a14400
        154afadf3dfb12 1a151c30111805 11e9fedfd450b7 0126b08b2a1241 1d5fdbe97b9fb2 0597872c322010 09dc0877cdf117 05bb1882889e82
        13691ccdf3747c 1fb7c4ab112028 14503e691f7e57 091bfa80a7aac2 034d46fd77b874 0d90098002222a 0ddacd7771dcc7 1a98c602da6b31
        0bf820df5bb5f5 1f1f3ef1321313 155b04d5d55757 0517e0719ec712 03ff04df973bf9 1c362a33023043 0c719942cd59ef 1b9032b6a8db2a
        117710c777f9e3 0a37d087228088 0756850d5fbaf7 1c226968581be2 09eab6741bf4b5 0a26a47711100e 055e0b170d644b 03a5a5c8ed8168
        03c2bafebf783b 02873f9aa1214d 1be78e5c91ce61 0c2f0364901060 02515ddf77ddf4 001f4a11020319 1fc7cf557c8557 10459ad108a310
        1756205fb737f2 174c48931231a5 1750955ef4c170 10475aaa0eb802 1fdd93b7f7b073
        """,
        """
        1fdc2c3c744767f 104946bd488a241 1757aee4fd1ee5d 17409c822224a5d 1747785ff667a5d 105e311c4048c41 1fd55555555557f
        00097b546122c00 14648ce7d111125 0aa49422ba882bb 14e3ed08f755b71 10167f4b2e3320b 1d61b43719ff8d4 0c05c72399bb885
        03eb1ce27bee47d 00305058221c198 15524635d111355 1e2b32a188a9a94 12dce94e557e63d 09afcbc8b3301ba 0afda3f97ffde55
        1607c2638bbb8ae 00cf2273d66fe31 1c298d48a8431a8 1a6df5355551353 1a8a05a08998ab2 1df111ffdea57f1 1116aac47900f1b
        0d54752d71dd35b 0d1d306c79bbb17 15f0802fe6773f7 142cedb0cc88102 107446f65955250 0aa617a69988ae2 00f064796aff76c
        1d3237040898188 1f6ef98f5115f9f 170d9382fb88820 1cd1b01b777377d 15b0439cb44b9a8 026a0b9bbdd764f 0aa33e62288a92a
        0f6eb9b3577ec4d 04320290848ba4b 0de41d1c9d51363 1e2dcde0388b82a 14c4e3b977345f5 1f3e4a5587779c9 00759527d7ffffb
        00170f8441aa911 1fdd42557366b51 1040de24406691b 174a1e57d5dd3fc 174f83a24088b74 175bf535fb667fb 1046721cb7726b8
        1fd08b16b751e6d
        """,
    ]

    /// The content of the symbol of a version: all bytes that it has room for, 1 less, or 2 less.
    /// - Parameter version: From 1 to 10.
    static func content(_ version: Int, capacity: Int) -> [UInt8] {
        let text = "otpauth://totp/Espalier:anna%40example.com?secret=" + String(repeating: "JBSWY3DPEHPK3PXP", count: 20)
        return Array(text.utf8.prefix(capacity - version % 3))
    }

    /// The symbol of `Espalier 2026`, version 1 with mask 2. `#` is a dark module.
    static let picture = """
        #######.......#######
        #.....#..#..#.#.....#
        #.###.#.###.#.#.###.#
        #.###.#.#..##.#.###.#
        #.###.#.###.#.#.###.#
        #.....#.####..#.....#
        #######.#.#.#.#######
        ........##...........
        #.#####..###..#####..
        #.##.#......#...#.###
        ..#...##.#..#.#..#.#.
        .#.###.##.#......###.
        #####.#..#.##.#..#.#.
        ........#.##...##.#..
        #######.....#.....##.
        #.....#.#........###.
        #.###.#.###.#####..##
        #.###.#.####...##.#..
        #.###.#.#...#.#..##..
        #.....#.....#..#.##..
        #######.##..###.#..#.
        """
}
