/// Keys for these tests only. They protect nothing.
enum TestKeys {
    static let rsa1 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCYcuZM/9cf2kBj
        pssfXJBR+5OoGq8GDoFy+rxST9LqwvbMth4jb4oiwlbzFq1Tt59n0KHoTobsA3gK
        BKs1nBSpSOBE+DEO0nawuiHPdHWUO7Bu0cASQ8xuNfPlJVIzCFiIkflc9TL1iRIu
        UmLjkDKKNN5u2dSCHF38Qek+C++unfg6319ITiENIg2mg6j8ahEMdcqAjZk0vbsN
        hZdqXF4HKE3TRPXhJwkkix2qpimmqCaDmWXHAlsai4nG3fcnqv6BBqkR5JLj8SQa
        z8MnDPOcNFSvToqZwLYP9nJOeDztUpRyrBcq3LVOo51ba6vERK/fK57KIZPDh7OH
        v/Kozdn9AgMBAAECggEAAOwdCZU4q3gqEJBHRVLNirlvbMJwkaRP0y7CKetSttnk
        HVvytbsshkZPuVvHQ6zmOX4RJLMo7M+ej8z0bjgaBeYreS9ZOKI8VphhsPwe4/0y
        dZEuTM39NCN+bMH7i9R+mKDtdcsD+mlQY1hbQc4zCBQGznvh5cGfLfIGI7p1wkQv
        AqlnwGuC/k/O6vPYXLgrQUJrJ78tCgDbXFF7UGl2MF2I1TuZaNlbFkTWy0F02XI2
        zVKyN1q1felogs5ITUURhuwrGsRG/XbKlVQKboVynO3HuHS9HuiYO1obsDyUyDbd
        oz3J7ln6JT5iontfcG8cmIaXe/t64BN+UcuSagi33wKBgQDKR7/ZdzZO3Kv682EV
        UgZu3jzs6AsUjDQBO8lUqeLXgmvvu1lBf4I7ZprakYvtKOVNGH+pWR8L8pGoummO
        a9UdUX7p5InQSDTf9BgYZanJFewcx1ZXNKhKDvLWQIvHlhe/O6+QT7wMIgLqtVE1
        xZGitb3lqrD73QjvoPjhA+/p2wKBgQDA702+GeGkdlHEuwkxfDSEhuMMnxNILKP2
        ZbDgW+Xt7x+rZhaMYnDexWlH4ReV+gH2ctl39TMlbw/hjl0Yo7UVKo/MxxhqUkXC
        TGhoNqaMvjMjamrBBRPPyo9d2XO1twNnD/jdSE02bdGF3KfouO+5I38mMJKU9W4L
        tHyvHTHvBwKBgQCdHY3Og+IS7yRGD7Rgsw18H/KCsNmqZBwguSdwM2SWsB7WXla9
        oSSursuo6VQeKZ2xfE3sY+TRit/IhsJmdStbUmmZkoHY3bz0FsyAZrayEe0LjWlq
        4uO0YlgMQqZPqC1ZxCphlQ0i/2f0llE1yveLwk51jVdayhyexBGL9Vrr8QKBgCcx
        NYi1dznScz/UgsSTp5N4Vy0cL22M6+3EsI6S/H0+Ax/tSA1Sff0y+vUIC6OCut1W
        bUjJ/Y7QJdi687xqnQFkuPtvQk1u0w7qOJda6rBSfs7l8jOtlV2zlzYIU1IJkF5i
        RzqkUlMJMfPQZCeJUeE5Db4zRcOOq8Ei8+UauCcHAoGAY+OgjicQS4kmWaJk02rs
        /VpRktHydTEbQIgoZdPHK4cXXsb/nqqIVB9IKjdzCIweAJN6vKDocPAM9NcnA5pv
        y6vigHj0HLaT1o9MWBIou/J1649Grt3rKwYW+/LKa3fUZthjylmD7MOI0p1mbC5A
        CGelWBz4ixgdL9eXvy74Ax8=
        -----END PRIVATE KEY-----
        """

    static let rsa2 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC3NmqdwfR/DYZl
        gDUfXIVTRbrCrP/Ws7sT2obmhF+P0Pa5qHryKgx5Nc7wgGh7jbt0/xP7DrlHZPHW
        vy2P4hWxfBMqByTvqr5i72bqXuNU8l6jEGLR4/vXj/fpJAtfEKiRVX70QA5tuJOd
        pdV3V0XpD0elQr4xXDhnP17FUBdu/eFAkBELQEQZ4F17d/hwc75SrNsQ8VdNcbOu
        h5tTCIyKC0OXF0+KQ/D6O6n3Kk5YyAALu0DPmDdCHRStZKSCv+qyaIDKcZa7HDKV
        Apl8zDoBezAP3Sj6GAFcXldn5Cq1SghQjSf1UlteuxGBQnnxaDA7UhiLWyvn+jSo
        IpHyakqLAgMBAAECggEACHCWSrwjkjLCTSyxxccSUTq2Fr+3bWGMLab0bewNJufe
        ZcEQINW1C2RiKwwPRBnMV+BkQD12ZYaN6XGXHLiyfSGVFGuN1QiNiqsyl3tVh5U+
        rM5VbwvMjyqPpgrGB1QSH9fLaF8HCyDkk++OvNelXc4ZY9CGSGnSI1d0+yvsWG1/
        hJC30RW1gyXoNg3cmNleYQAbbw0CyhWzhu1CxM3VzTfKpik0WJgmOudwunJdDm7R
        ZBjzB6jslakVXcUjRxcOveHgQB4cF0nCj4RHd8wqa1UwxHNLgHUhXiF498ms14SN
        L6OX37gI74tIruEBOz3GN7DtD6GGWKlX7W+t2hp0uQKBgQDvPPv1v2Vqf8/Xxkcl
        T876s6B3Je/Brx37EZLdFr7X8amlSI50MZ4iLMra88G/iUnCWVMO4X0k0plEHKLW
        us/aMgKsMHjCOnP8b0MWD3/sSnmNPd7XcFvqa92fW+RdvWxhJBkz2oEdzdRxFNcn
        ebnulofKdpEh17Hg44oIE00EhwKBgQDEDIwEwdjDptVN1I8l1BNRtWS2EnvKGWje
        S1CwJ2B22+nltZMS/V1oHBMj0bXDvZyc7ijXZprskR9ULoUroZTWgYhU0GFzdj1h
        iikWCIGfPyM09GpaYLl5yjA9J6xOxmVv3sxaQgA/Nn1KV2qMs6GVNqCw6A1I4cFz
        gB0isWIO3QKBgHkANEOwQWAjMwFklLlnaz1bus5ojqI8qwJAejJ+fZoE7ZPeZcaZ
        De0lEJi7bwQsMPUubpb5L21/YuuTPD01EUm/v6BNh9Zc8Cr+L0UqI75kUKRCZcI7
        XxHq6pXeSVusIfPj6SdT3bgwUcG8E7Iwm/zzf8zEOVWPnbUsALVi5bJjAoGBAJ+C
        PeIY/g6iDObYTOfQVy+h0KE7BLD4X5SN3saUIy5R20pko5dNwdPVE9WO6L6r5WLh
        eyVWfDKCGOVbPEq1mu20UoH/UWqqB2L3EFq27Q/uROzu+CE0lXP8B6eaQd2OGjYd
        JlNBZAYKhYIZAb4c4RkQa0nEZBqqY8VftVTm0guZAoGBAMlLTiZypNrpRZecTB2u
        ZHwHEp93JiatVzIpJMCOllDQ4MNIfpwTqNc7MBK+QkHf2uewTxczO/NDh1q7NSy/
        shwDs656T2ud8vW/SJJDkRgp7Hhxb27U0VE0t0ppsehNJR381KIviqpi+v/hyEWT
        i+VeE0Uv7SROtWcV9NmlxTn9
        -----END PRIVATE KEY-----
        """

    static let rsaTraditional = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEAmHLmTP/XH9pAY6bLH1yQUfuTqBqvBg6Bcvq8Uk/S6sL2zLYe
        I2+KIsJW8xatU7efZ9Ch6E6G7AN4CgSrNZwUqUjgRPgxDtJ2sLohz3R1lDuwbtHA
        EkPMbjXz5SVSMwhYiJH5XPUy9YkSLlJi45AyijTebtnUghxd/EHpPgvvrp34Ot9f
        SE4hDSINpoOo/GoRDHXKgI2ZNL27DYWXalxeByhN00T14ScJJIsdqqYppqgmg5ll
        xwJbGouJxt33J6r+gQapEeSS4/EkGs/DJwzznDRUr06KmcC2D/ZyTng87VKUcqwX
        Kty1TqOdW2urxESv3yueyiGTw4ezh7/yqM3Z/QIDAQABAoIBAADsHQmVOKt4KhCQ
        R0VSzYq5b2zCcJGkT9MuwinrUrbZ5B1b8rW7LIZGT7lbx0Os5jl+ESSzKOzPno/M
        9G44GgXmK3kvWTiiPFaYYbD8HuP9MnWRLkzN/TQjfmzB+4vUfpig7XXLA/ppUGNY
        W0HOMwgUBs574eXBny3yBiO6dcJELwKpZ8Brgv5Pzurz2Fy4K0FCaye/LQoA21xR
        e1BpdjBdiNU7mWjZWxZE1stBdNlyNs1SsjdatX3paILOSE1FEYbsKxrERv12ypVU
        Cm6Fcpztx7h0vR7omDtaG7A8lMg23aM9ye5Z+iU+YqJ7X3BvHJiGl3v7euATflHL
        kmoIt98CgYEAyke/2Xc2Ttyr+vNhFVIGbt487OgLFIw0ATvJVKni14Jr77tZQX+C
        O2aa2pGL7SjlTRh/qVkfC/KRqLppjmvVHVF+6eSJ0Eg03/QYGGWpyRXsHMdWVzSo
        Sg7y1kCLx5YXvzuvkE+8DCIC6rVRNcWRorW95aqw+90I76D44QPv6dsCgYEAwO9N
        vhnhpHZRxLsJMXw0hIbjDJ8TSCyj9mWw4Fvl7e8fq2YWjGJw3sVpR+EXlfoB9nLZ
        d/UzJW8P4Y5dGKO1FSqPzMcYalJFwkxoaDamjL4zI2pqwQUTz8qPXdlztbcDZw/4
        3UhNNm3Rhdyn6LjvuSN/JjCSlPVuC7R8rx0x7wcCgYEAnR2NzoPiEu8kRg+0YLMN
        fB/ygrDZqmQcILkncDNklrAe1l5WvaEkrq7LqOlUHimdsXxN7GPk0YrfyIbCZnUr
        W1JpmZKB2N289BbMgGa2shHtC41pauLjtGJYDEKmT6gtWcQqYZUNIv9n9JZRNcr3
        i8JOdY1XWsocnsQRi/Va6/ECgYAnMTWItXc50nM/1ILEk6eTeFctHC9tjOvtxLCO
        kvx9PgMf7UgNUn39Mvr1CAujgrrdVm1Iyf2O0CXYuvO8ap0BZLj7b0JNbtMO6jiX
        WuqwUn7O5fIzrZVds5c2CFNSCZBeYkc6pFJTCTHz0GQniVHhOQ2+M0XDjqvBIvPl
        GrgnBwKBgGPjoI4nEEuJJlmiZNNq7P1aUZLR8nUxG0CIKGXTxyuHF17G/56qiFQf
        SCo3cwiMHgCTeryg6HDwDPTXJwOab8ur4oB49By2k9aPTFgSKLvydeuPRq7d6ysG
        Fvvyymt31GbYY8pZg+zDiNKdZmwuQAhnpVgc+IsYHS/Xl78u+AMf
        -----END RSA PRIVATE KEY-----
        """

    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLmuscfMfdcZKBqDZ
        RLqESzkNzePQCDYiV+svi7H18NihRANCAAQMwT85r0BY2u/jdAUcvGU3Viw1shGv
        Rq30x4mvj/grHSYQVUowV35+Zd8xg6E0y4Bb66ixc8dPdG2Gi19bFJF0
        -----END PRIVATE KEY-----
        """

    static let p256Encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjDw9akoEgONQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEO6K2Ugvx62shegtoauiSdsEgZBO
        wifv0g1wlIWIf1p9uaxuxWiEjlBXFFYetNmrvOgZBBfBRghb99ryC0JE5aooYzeQ
        fExevDYlRiLSfPpD7vjt4aygO67PbYUxX9lX2qFmw+dWpsFPte0ZGUEjX1ePMABb
        CoieQl5Jg046j6foPw12DsBTD0mWXCqmAL5B+4Nuk3f8dcu8QVE8W1rkEEtQ6y0=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    static let p256SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIC5rrHHzH3XGSgag2US6hEs5Dc3j0Ag2IlfrL4ux9fDYoAoGCCqGSM49
        AwEHoUQDQgAEDME/Oa9AWNrv43QFHLxlN1YsNbIRr0at9MeJr4/4Kx0mEFVKMFd+
        fmXfMYOhNMuAW+uosXPHT3RthotfWxSRdA==
        -----END EC PRIVATE KEY-----
        """

    static let p256SEC1Encrypted = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,5267D346907EAB987B1E663D147AADF9

        gB+WwqRJTrgGXlZtriN6ZYue0xuD2oP6ikvsMaEB3ebj2CZQKkK5pEb5dKI5YrIt
        w2I3GNp7REuSP2nvkSGb+GiZfFHWtclnMxDB8INaHe05njg4O+y5UiLk9b1cN8z1
        G837edvtbJQ1echZCLaaO4PtUaIno2VjL/MOLhi/8c4=
        -----END EC PRIVATE KEY-----
        """

    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEICPiUPqc8jZlN33p7vRI5jwGk5xV/A4Ufyyj382zLruk
        -----END PRIVATE KEY-----
        """

    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgFJtX+bbFHqJiZ65fNmdB
        gsAzLtXy7SOGrKDAUZxvrlGhRANCAASQ7oW2GN3fXaDZkwXbvKPSlpGOphuPseWE
        u4GUitgD9HqSTkgMey5Z3hiTSMvLpSk2miuRvRFPH8c9GuhBrtNV
        -----END PRIVATE KEY-----
        """

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBbjCCAROgAwIBAgIUDE5tGzpXXAnFHjq4+fr06qYhKFcwCgYIKoZIzj0EAwIw
        DDEKMAgGA1UEAwwBeDAeFw0yNjExMjEwOTE1MzlaFw0yNjEyMjEwOTE1MzlaMAwx
        CjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQMwT85r0BY2u/j
        dAUcvGU3Viw1shGvRq30x4mvj/grHSYQVUowV35+Zd8xg6E0y4Bb66ixc8dPdG2G
        i19bFJF0o1MwUTAdBgNVHQ4EFgQUcNlNme30TQvM4cB8e4ZnT0TSnK4wHwYDVR0j
        BBgwFoAUcNlNme30TQvM4cB8e4ZnT0TSnK4wDwYDVR0TAQH/BAUwAwEB/zAKBggq
        hkjOPQQDAgNJADBGAiEA6V/AfjS9XXUfwjxp1GEn+nbcrUxmSWxzLkRM+nOZIxQC
        IQDCtcU0v4tez2zSnzGw3QEIXO7K2xNP2XV+oybDjXIyww==
        -----END CERTIFICATE-----
        """
}
