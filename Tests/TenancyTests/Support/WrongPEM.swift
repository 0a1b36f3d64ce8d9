import Crypto
import CryptoExtras

/// Files that people confuse with their Apple key. They were created for these tests and protect nothing.
enum WrongPEM {
    static let publicKey = P256.Signing.PrivateKey().publicKey.pemRepresentation
    static let p384 = P384.Signing.PrivateKey().pemRepresentation

    static var rsa: String {
        get throws { try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation }
    }

    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjDw9akoEgONQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEO6K2Ugvx62shegtoauiSdsEgZBO
        wifv0g1wlIWIf1p9uaxuxWiEjlBXFFYetNmrvOgZBBfBRghb99ryC0JE5aooYzeQ
        fExevDYlRiLSfPpD7vjt4aygO67PbYUxX9lX2qFmw+dWpsFPte0ZGUEjX1ePMABb
        CoieQl5Jg046j6foPw12DsBTD0mWXCqmAL5B+4Nuk3f8dcu8QVE8W1rkEEtQ6y0=
        -----END ENCRYPTED PRIVATE KEY-----
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
