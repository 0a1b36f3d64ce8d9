extension CommonPasswords {
    /// Written by script/passwords/common.py: 15769 passwords of zxcvbn, MIT license (NOTICE), sorted by bytes.
    static let words: StaticString = """
        !qaz2wsx !qazxsw2 %%passwo %e2%82%ac .adgjmptw 0.0.0.000 0000000000d 0000000000o 00000000a 00000001 00000007 00009999 0000aaaa
        000777fffa 00096462 000999888 00197400 007james 00948230 00998877 01011900 01011910 01011950 01011960 01011961 01011970 01011971
        01011972 01011973 01011974 01011975 01011976 01011977 01011978 01011979 01011980 01011981 01011982 01011983 01011984 01011985
        01011986 01011987 01011988 01011989 01011990 01011991 01011992 01011993 01011994 01011995 01011999 01012000 01012001 01012010
        01012011 01020304 0102030405 010203040506 01021990 01031985 01031988 01031989 01041985 01041988 01061986 01061990 01071986 01081988m
        01081989 01091987 01091989 01121986 01121988 012345678910 0123654789 0123698745 013cpfza 01470258 014702580369 0147258369 01478520
        0147852369 01478963 0147896325 0192837465 01telemike01 02011971 02011975 02011980 02011981 02011982 02011983 02011984 02011985
        02011986 02011987 02011988 02011989 02021971 02021973 02021976 02021979 02021981 02021982 02021983 02021984 02021985 02021986
        02021987 02021988 02021989 02021990 02031970 02031973 02031974 02031975 02031977 02031978 02031979 02031980 02031981 02031982
        02031984 02031985 02031986 02031987 02031988 02031989 02041972 02041973 02041974 02041975 02041976 02041977 02041978 02041979
        02041980 02041981 02041982 02041983 02041984 02041985 02041986 02041987 02041988 02041989 02051970 02051972 02051973 02051975
        02051976 02051977 02051978 02051980 02051981 02051982 02051983 02051984 02051985 02051986 02051987 02051988 02051989 02061971
        02061972 02061974 02061976 02061977 02061980 02061982 02061983 02061984 02061985 02061986 02061987 02061988 02061989 02071971
        02071975 02071976 02071978 02071979 02071980 02071981 02071982 02071983 02071984 02071986 02071987 02071988 02071989 02081970
        02081973 02081974 02081976 02081977 02081980 02081982 02081983 02081984 02081985 02081986 02081987 02081988 02081989 02091971
        02091973 02091975 02091976 02091977 02091980 02091981 02091983 02091984 02091985 02091986 02091987 02091989 02101973 02101976
        02101977 02101979 02101981 02101983 02101984 02101985 02101986 02101987 02101988 02101989 02143006 02551670 02588520 03031986
        03041986 03041991 03082006 033028pw 04041988 04041991 04325956 04975756 05051985 05051987 05051989 050605rostik 06061986 06225930
        06251106 063dyjuy 07071977 07071987 07091990 0773417k 07831505 07931505 08031985 08031986 08051990 08081988 08121986 08154711
        08522580 085tzzqi 09051945 09080706 090808qwe 0987654321a 0987654321q 09877890 0cdh0v99ue 0l8kchek 0o9i8u7y 0o9i8u7y6t 0okm9ijn
        0p9o8i7u 0raziel0 0sister0 10011986 10011990 100200300 10031988 10051987 10071987 100years 10101986 10101990 101054yy 10111213
        10203040 102030405 1020304050 102030405060 10293847 102938475 1029384756 1029384756q 10293847qp 10inches 11001001 11012566 11051987
        11051990 11061985 11081989 11111111 1111111111zz 11111111a 11111118 1111111a 1111111q 111111aa 1111122222 11111aaaaa 11112222
        11114444 11119999 1111aaaa 1111qqqq 11121314 1112131415 11121986 11122233 111222333 111222333000 111222333444555 111222333a 111luzer
        111zzzzz 1122112211 11223300 11223311 11223344 112233445 1122334455 112233445566 11223344q 11223355 112233aa 112233qq 1122qqww
        11234567 11235813 112358132 1123581321 11251422 11335577 1133557799 118a105b 11924704 11c645df 11qq22ww 12011987 12021988 12031985
        12031987 12051988 12101492 1211123a 12121985 12121990 1212312121 12123434 12131415 1213141516 12141618 12213443 1223334444
        122333444455555 12233445 12312312 123123123a 123123123q 123123321 12312345 123123456 123123789 123123asd 123123qq 123123qw 123123qwe
        123123qweqwe 1232323q 123234345 123258789 12332100 12332112 123321123 12332145 123321456 123321456654 123321aa 123321az 123321qaz
        123321qq 123321qw 123321qwe 123321qweewq 12340987 12341231 12341234q 12342000 12343412 12344321 12344321a 12344321q 1234509876
        12345123 123451234 1234512i 123452000 123452345 12345432 123454321 12345543 123455432 1234554321 1234554321a 1234554321q 12345600
        12345611 12345612 123456123 1234562000 123456321 12345654321 12345656 123456654 123456654321 12345666 12345670 12345671 12345672000
        12345677 12345677654321 12345678 123456780 123456781 123456782000 123456788 1234567887654321 123456789 123456789* 123456789.
        1234567890 12345678900 123456789000 12345678900987654321 1234567890987654321 1234567890a 1234567890d 1234567890l 1234567890m
        1234567890o 1234567890p 1234567890q 1234567890qaz 1234567890qw 1234567890qwe 1234567890qwerty 1234567890s 1234567890w 1234567890z
        1234567890zzz 1234567891 12345678910 123456789101 12345678912 123456789123 1234567892000 12345678987654321 1234567899
        123456789987654321 123456789a 123456789aa 123456789aaa 123456789abc 123456789as 123456789asd 123456789b 123456789c 123456789d
        123456789e 123456789f 123456789g 123456789i 123456789j 123456789k 123456789l 123456789m 123456789n 123456789o 123456789p 123456789q
        123456789qaz 123456789qq 123456789qqq 123456789qw 123456789qwe 123456789qwer 123456789qwerty 123456789r 123456789s 123456789t
        123456789v 123456789w 123456789x 123456789y 123456789z 123456789zx 123456789zxc 123456789zz 12345678a 12345678c 12345678d 12345678i
        12345678l 12345678m 12345678q 12345678qwe 12345678s 12345678w 12345678z 12345679 123456798 1234567a 1234567aa 1234567b 1234567d
        1234567j 1234567k 1234567l 1234567m 1234567q 1234567qw 1234567qwertyu 1234567r 1234567s 1234567t 1234567u 1234567v 1234567w 1234567z
        12345687 12345689 12345698 123456987 12345699 123456aa 123456aaa 123456ab 123456abc 123456as 123456asd 123456qaz 123456qq 123456qqq
        123456qw 123456qwe 123456qwer 123456qwert 123456qwerty 123456rrr 123456ru 123456ss 123456zx 123456zxc 123456zxcvbn 123456zz
        123456zzz 12345789 123459876 12345abc 12345abcd 12345abcde 12345asd 12345asdfg 12345love 12345qaz 12345qazwsx 12345qqq 12345qwe
        12345qwer 12345qwert 12345qwert7 12345qwerty 12345rewq 12345trewq 12345zxc 12345zxcvb 12346789 12347890 12348765 12349876 1234abcd
        1234asdf 1234kekc 1234qwer 1234qwerasdf 1234qwerasdfzxcv 1234qwert 1234qwerty 1234rewq 1234rmvb 1234zxcv 12356789 123578951
        123581321 12365478 123654789 1236547890 123654789a 123654987 12369874 123698741 123698745 1236987z 12378945 123789456 123987456
        123abc123 123as123 123asd123 123boots1 123ewqasd 123ewqasdcxz 123happy 123hfjdk147 123joker 123lol123 123masha 123mudar 123qaz123
        123qazwsx 123qq123 123qw123 123qwaszx 123qwe12 123qwe123 123qwe321 123qwe456 123qwe456rty 123qweas 123qweasd 123qweasdzx
        123qweasdzxc 123qweqwe 123qwert 123qwerty 123qwerty123 123vv123 123vvv123 123zxc123 12435687 12457896 124578963 12481632 12601196
        12758698 12andriy14 12e3e456 12inches 12locked 12monkey 12monkeys 12q34w56e 12qw12qw 12qw34er 12qw34er56ty 12qwaszx 12qwerty
        12s3t4p55 12string 13021990 13031987 13041987 13041988 13061986 13121985 13243546 1324354657 13245678 13245768 132465798 132forever
        13324124 133andre 134679258 13467982 13467985 134679852 1346798520 134kzbip 135135ab 13571113 13572468 13576479 1357908642 1357911q
        13579135 13579246 135792468 1357924680 135797531 135798642 1357997531 136611gt 14021985 14021986 14061991 14071789 14111986 14142135
        14159265 142536789 14314314 14725836 147258369 1472583690 147258369a 147369258 14785236 147852369 147852963 14789632 147896321
        147896325 147963258 14881488 14938685 14vbqk9p 15011987 15021985 15051981 15051990 15101986 15161718 151nxjmt 15253545 152geczn
        15426378 154ugeiu 15541632 158uefas 159357123 159357258 159357456 15935746 159357852 15975300 15975312 159753123 15975321 1597532486
        159753258 159753456 159753456852 15975346 159753852 15975391 15987532 159875321 159951159 15s9pu03 16051987 16051989 16121987
        17011987 17051988 17061988 17071994a 17171717aa 172839456 17711771s 18011987 18061990 18091985 18121812 18254288 18273645 18436572
        18821221 18n28n24a 19061987 19101987 19216801 19216811 19283746 192837465 1928374655 192837465q 193570356033 19371ayj 19372846
        19380018 19391945 19411945 1958proman 19688691 19719870 1972chev 19733791 19755791 19761977 19801982 19801984 19811983 19821983
        19822891 19831985 19833891 19841989 19844891 19851985p 19855891 19861987 19866891 1986irachka 1986mets 19877891 19888891 19891959
        19899891 19911992 19921993 19922991 19932916 19933991 1994200414 19944991 19952009sa 19955991 19960610ilja 19966991 19977991
        19992000 19mtpgam19 19thhole 1a2a3a4a 1a2a3a4a5a 1a2a3a4a5a6a 1a2b3c4d 1a2b3c4d5e 1a2s3d4f 1a2s3d4f5g 1a2s3d4f5g6h 1aaaaaaa 1abcdefg
        1andonly 1arsenal 1asdfghj 1asshole 1assword 1autopas 1basebal 1bastard 1bbbbbbb 1bigdadd 1bigdick 1bigfish 1bigtits 1billion
        1blaster 1brandon 1brother 1bulldog 1bullshi 1butthea 1carolin 1ccccccc 1charles 1charlie 1chelsea 1chester 1chicken 1christi
        1compute 1corvett 1cowboys 1cracker 1creativ 1cricket 1crystal 1diamond 1digital 1dolphin 1drummer 1eeeeeee 1escobar2 1explore
        1ferrari 1fishing 1florida 1flowers 1footbal 1forever 1freedom 1fuckyou 1gabriel 1gandalf 1gateway 1ggggggg 1grizzly 1hardcor
        1heather 1herbier 1hhhhhhh 1hundred 1hxboqg2 1hxboqg2s 1iiiiiii 1j9e7f6f 1jackson 1jasmine 1jeffrey 1jennife 1jessica 1jjjjjjj
        1johnson 1ladybug 1letmein 1loveyou 1magneto 1manager 1matthew 1maveric 1melissa 1mercede 1michael 1michell 1million 1monster
        1montana 1mountai 1mustang 1newlife 1packers 1panther 1panties 1pass1page 1passwor 1password 1patrick 1peaches 1penguin 1phoenix
        1porsche 1private 1pumpkin 1q2q3q4q 1q2q3q4q5q 1q2w3e4r 1q2w3e4r5 1q2w3e4r5t 1q2w3e4r5t6y 1q3e5t7u 1q3e5t7u9o 1qa2ws3e 1qa2ws3ed
        1qa2ws3ed4rf 1qa2ws3ed4rf5tg 1qasw23ed 1qay2wsx 1qayxsw2 1qaz!qaz 1qaz0okm 1qaz2wsx 1qaz2wsx3 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qaz3edc
        1qaz@wsx 1qazwsxedc 1qazxcvb 1qazxdr5 1qazxsw2 1qazxsw23edc 1qazxsw23edcvfr4 1qazzaq1 1qw23er4 1qwerty1 1qwerty2 1qwerty7 1qwertyu
        1qwertyuiop 1raiders 1rainbow 1rangers 1richard 1rosebud 1s1h1e1f1 1samanth 1scooter 1scorpio 1service 1sexyred 1simpson 1special
        1startre 1starwar 1steeler 1stephen 1stunner 1success 1sunshin 1superma 1therock 1thunder 1tiffany 1trouble 1vampire 1voyager
        1w2e3r4t 1w2q3r4e 1w2w3w4w 1warrior 1wildcat 1william 1winston 1x2zkg8w 1xrg4kcq 1xxxxxxx 1yankees 1z2x3c4v 1z2x3c4v5b 1zxcvbnm
        1zzzzzzz 2000jeep 200190ru 20031987 2004-10- 2004-11- 20051988 20061988 2008m2009 20091988 20091989q 20091991 20111986 20162016up
        201jedlz 20spanks 21011989 21031987 21031988 21031990 21051988 21051991 21101986 21125150 2112rush 212009164 212121qaz 213546879
        213qwe879 21436587 2143658709 22011988 22021986 22021989 22031984 22041987 22041988 22061941 22071986 221195ws 22221111 222222000
        22223333 22224444 22228888 22334455 22360679 22446688 2278124q 22q04w90e 23021986 23041987 23049307 2305822q 23176djivanfros
        23843dima 23jordan 23skidoo 23wesdxc 23wkoa0fp78dk 24011985 2401pedro 24061986 24111989 243462536 245lufpq 2468013579 24681012
        24681357 246813579 24688642 24861793 248ujnfk 24gordon 24pnz6kc 2502557i 25031987 25041988 25081988 25091987 25121987 25251325
        254xtpss 25800852 25802580 26031988 26061987 2606642yra 260zntpc 26429vadim 267ksyjf 27061988 27731828 28011987 28021990 28021992
        28041987 287hf71h 28infern 29011985 29051989 29071983 299792458 2b4dnvsx 2b8riedt 2bigtits 2bornot2 2bornot2b 2children 2dumb2live
        2hot4you 2i5fdruv 2kash6zq 2letmein 2sexy2ho 2w3e4r5t 2w93jpa4 2wj2k9oj 2wsx1qaz 2wsx3edc 2wsx4rfv 2wsxcde3 2wsxxsw2 2wsxzaq1
        2ykn5ccf 30031988 30041986 30051985 305pwzlr 30624700 30seconds 31011987 31021364 311music 31217221027711 31359092 31415926
        314159265 3141592654 31415927 321456987 32165498 321654987 3216732167 321ret32 326159487 32615948worms 333222111 33331111 33334444
        333666999 33445566 335533aa 33rjhjds 343104ky 34523452 34524815 34erdfcv 360moden 3611jcmg 3616615a 36169544 36460341 368ejhih
        36925814 369258147 36985214 369852147 36987412 369874125 37583867 380zliki 383295502 383pdjvl 38972091 38gjgeuftd 3children 3edc4rfv
        3edcvfr4 3f3fpht7op 3rjs1la7qe 3stooges 3syqo15hil 3techsrl 3xbobobo 40028922 4077mash 413276191q 41513042 41d8cd98f00b 42042042
        420842084208555 420smoke 427cobra 4294967296 42qwerty42 43046721 4311111q 43211234 4321rewq 44332211 44445555 44448888 444555666
        44556677 44e3ebda 44magnum 4506802a 451236789 454dfmcq 456123789 45645645 45678912 456789123 45683968 45m2do5bs 46466452 46775575
        474jdvff 478jfszk 4809594q 48151623 481516234 4815162342 4815162342a 4815162342lf 4815162342lost 4815162342q 48n25rcc 4904s677075
        49527843 495rus19 4cranker 4ebouux8 4fa82hyx 4freedom 4g3izhox 4gxrzemq 4me2know 4p9f8nja 4r3e2w1q 4rfv3edc 4rfv5tgb 4rzp8ab7
        4seasons 4solomon 4z34l0ts 4z3al0ts 50spanks 51051051051 51094didi 51501984 51502112 51525354 51842543 52545856 52678677 531879fiz
        5345321aa 5411pimo 541233432442 54132442 5432112345 545ettvy 551scasi 55378008 55443322 5544332211 55495746 554uzpad 55556666
        555666777 55667788 55832811 55bgates 56259090 565hlgqo 567rntvm 56836803 57392632 57699434 58565254 5858855abc 59382113kevinp
        5c92v5h6 5element 5gtgiaxm 5hsu75kpot 5t4r3e2w1q 5t6y7u8i 5tgb6yhn 5tgbnhy6 5unshine 5w76rnqp 5wr2i7h8 61808861 6215mila6215
        625vrobg 62717315 6339cndh 640xwfkv 6458zn7a 65mustan 66005918 66613666 66669999 666999666 666satan 66778899 669e53e1 66mustan
        66mustang 671fsa75yt 67390436 67899876 67camaro 67mustan 682regkh 6846kg3r 686xqxfg 68camaro 69213124 69camaro 69mustan 6gcf636i
        6jhwmqku 6xe8j2z4 6yhn7ujm 705499fh 70780070780 71727374 73501505 7410258963 74108520 74123698 741236985 74125896 741258963 74185296
        741852963 7418529630 741852kk 741963852 74227422 742617000027 748159263 753951456 753951852 754740g0 7653ajl1 7654321a 76689295
        766rglqy 770129ji 777555333 7777755102q 77777778 7777777a 7777777f 7777777q 7777777s 7777777z 77778888 777888999 777angel 77sunset
        78621323 78789898 789123456 78945612 789456123 7894561230 789456123a 789456123q 78963214 789632145 789632147 789654123 78978978
        789951123 78n3s5af 794613258 794613852 7elephant 7elephants 7ertu3ds 7f4df451 7gorwell 7hrdnw23 7imjfstw 7jokx7b9du 7ovtgimc
        7samurai 7u8i9o0p 7ugd5hip2j 80070633pc 80361665abc 80637852730 808state 8096468644q 80972694711 80988218126 80camaro 81726354
        8218yxfz 824358553 8363eddy 85200258 85852008 863abgsg 86753099 86chevyx 87062134 870621345 872rlcfo 87654321q 87654321vv 878kckxy
        87e5nclizry 88002000600 88351132 88887777 88889999 890098890 89015173454 89032073168 89057003343 89063032220m 89132664230
        89172735872 89181502334 89211375759 89231243658s 8928190a 89600506779 89614774181 89876065093rax 89semtsriuty 8j4ye3uz 8letters
        8phrowz622 8phrowz624 8seconds 8xuuobe4 9085084232 9085603566 911turbo 91328378 917190qq 918273645 91929394 92702689 9293709b13
        9379992a 9379992q 944turbo 951753852 96321478 963214785 963258741 96385274 963852741 9638527410 9731553197 98256518 987321654
        98741236 987412365 98745632 987456321 9874563210 987654123 987654321a 987654321g 987654321q 987654321z 98766789 98798798 989244342a
        99762000 99887766 9988776655 999111999q 999666333 999888777 99ranger 99strenght 9hmlpyjd 9hotpoin 9kyq6fge 9z5ve9rrcz a1111111
        a1234567 a12345678 a123456789 a1234567890 a123456a a123456b a123456z a19l1980 a1a2a3a4 a1a2a3a4a5 a1b2c3d4 a1b2c3d4e5 a1l2e3x4
        a1s2d3f4 a1s2d3f4g5 a1s2d3f4g5h6 a2345678 a32tv8ls a3930571 a3eilm2s2y a7777777 a789456123 a7nz8546 a8kd47v5 a9387670a a987654321
        aa111111 aa1111aa aa123123 aa123321 aa123456 aa123456789 aa123456s aaa12345 aaa123456 aaa123aaa aaaa1111 aaaa1122 aaaaaaa1 aaaabbbb
        aaaassss aaabbbccc aabbccdd aardvark aaron123 aassddff aaurafmf ab123456 ab12cd34 abbeyroa abc12345 abc123456 abc123456789 abc123abc
        abcabc55 abcd1234 abcd12345 abcd123456 abcde123 abcde12345 abcdef12 abcdef123 abcdefg1 abdullah abercrom abercrombie aberdeen
        abhishek abigail1 abnormal abracada abracadabra abrakadabra abramova absinthe absolut1 absolute absolutely abstract abuelita
        abulafia abundance ac2zxdty academia academic acapulco acca3344 access01 access10 access12 access123 access14 access16 access20
        access22 access88 access99 accessno accident account1 accounta accountbloc accounting accounts acdeehan acerview aceshigh achilles
        acidbath acidburn acidrain ackerman acmilan1 acoustic activate activation acun3t1x acuransx acurarsx ad12345678 adalbert adam1234
        adapters addicted addiction addition adelaida adelaide adelante adelheid adelphia adgjmptw adidas11 adidas12 adidas23 adidas69
        adidas99 adjuster adm15575 admin123 admin18533362 administrator admiral1 adolphus adrenali adrenalin adrenaline adrenolin adriana1
        adrianna adrianna1 adrianne adrienne adv12775 advance1 advanced advantag advantage adventur adventure advocate adxel187 aerobics
        aeroflot aeroplane aerosmit aerosmith aerospac aerostar aessedai aezakmi1 aezakmi123 affinity afghanistan afhvfwtdn african1
        afrika2002 afrodita afrodite afterglo aftermat aftermath afternoon agamemno agamemnon agapov58 agbdlcid agent007 aggarwal agnieszka
        agnostic agricola aguilera aikman08 airborn1 airborne airbrush aircraft airedale airforce airforce1 airjorda airjordan airlines
        airplane aishiteru aishwarya ajcuivd289 ajnjuhfa ajnjuhfabz ak470000 ak471996 akademia akatsuki akinfeev akira123 aksarben
        aksjdlasdakj89879 akvarium al123456 alabama1 alabama123 alabaste alakazam alanfahy alastair albacore albatros albatross albert12
        alberta1 albertjr alberto1 albright albuquerq alcapone alcatraz alchemist alcoholi aldebara aldebaran alderaan aleister alejandr
        alejandra alejandro alejandro1 aleksand aleksander aleksandr aleksandra alekseev alekseeva alemania alena123 alena1992 alena2010
        alenushka alessand alessandr alessandra alessandro alevtina alex1234 alex12345 alex1959 alex1971 alex1973 alex1974 alex1975 alex1976
        alex1980 alex1981 alex1982 alex1983 alex1985 alex1987 alex1989 alex1990 alex1991 alex1992 alex1993 alex1995 alex1996 alex1998
        alex2000 alex2009 alex2010 alex2112 alex8899 alexand1 alexande alexander alexander1 alexandr alexandra alexandra1 alexandre
        alexandria alexandru alexis01 alexsander alexsandr alfabeta alfarome alfaromeo alfredo1 algebra1 algernon alhambra alicante alice123
        aligator alina123 alina1994 alina1995 alina1998 alina2000 alina2002 alina2006 alina2009 alina2010 alina2011 alino4ka alinochka
        alistair alkaline alkanaft123 alkogolik allah786 allahuakbar allalone allan123 allblack allblacks allen123 alleycat alliance
        alligato alligator allison1 allister allnight allochka allright allstar1 allstars allstate alltheway allybong almaz666 almighty
        aloevera alohomora alouette aloysius alpacino alpha123 alpha135792468 alphabet alphabeta alphabravo alphadog alphaman alphaome
        alphaomega alphaone alphasig alphonse alskdjfh alskdjfhg altamira altavista alterego alternat alternativa alternative altitude
        alucard1 aluminum alvarado alvarito am4h39d8nh amadeus1 amadeusptfcor amanda01 amanda10 amanda11 amanda12 amanda123 amanda18
        amanda69 amanda96 amandine amaranta amaranth amarillo amaterasu amateurs amatuers amazing1 amazonas amazonka ambassador amber123
        amberdog amberlee ambition ambrosia ambulanc ambulance amc20277 amekpass america1 america2 america7 american american1 americas
        ameritec amersham amethyst amiga500 amorcito amoremio amoureux amsterda amsterdam amsterdam1 an83546921an13 anabelle anabolic
        anaconda anakin99 anakonda analfuck anallove analslut analysis anamaria anarchy1 anastaci anastacia anastasi anastasia anastasija
        anastasiy anastasiya anastasya anathema anatoliy ancella2 anchorag anchorat anderlecht andersen anderson andranik andre123 andrea00
        andrea10 andrea11 andrea12 andrea69 andrea99 andreas1 andreeva andrei123 andreika andretti andrew00 andrew01 andrew10 andrew11
        andrew12 andrew123 andrew13 andrew17 andrew21 andrew22 andrew23 andrew33 andrew69 andrew88 andrew99 andrewjackie andrews1 andrey12
        andrey123 andrey1992 andreyka andromed andromeda andy2000 andyod22 anfield1 angel007 angel100 angel123 angel200 angel2010 angel666
        angel777 angela12 angelbab angeldog angeleye angeleyes angelfac angelface angelfir angelica angelika angelina angeline angeliqu
        angelique angelita angelito angelo4ek angelochek angelofwar anguilla angus123 anhnhoem anhyeuem animal2000 animales animals1
        animalsex animated animation animator anime123 anisimov anna12345 anna1979 anna1982 anna1984 anna1985 anna1986 anna1987 anna1988
        anna1989 anna1990 anna1992 anna1994 anna1997 anna1998 anna2000 anna2002 anna2010 anna2614 annabell annabella annabelle annalisa
        annamari annamaria annapoli annarbor annelies annelise annemari annemarie annette1 annie123 anniedog annmarie annushka anointed
        anonymer anonymou anonymous another1 antananarivu anteater antelope anthony0 anthony1 anthony12 anthony2 anthony3 anthony4 anthony5
        anthony7 anthony8 anthony9 antichrist antietam antiflag antigone antihero antilles antiques antivirus anton123 anton1992 antonell
        antonella antonia1 antonina antonino antonio1 antonio2 antonio3 antonioj antonius antonova antoshka antwerp1 anuradha anything
        anytimetoday anywhere aolsucks aotearoa apache64 apartment aperture aphrodit aphrodite apocalyp apocalypse apokalipsis apollo11
        apollo12 apollo13 apollo17 appelsin apple123 applebee applegat applejui applejuice applemac applepie apples12 apples123 applesauce
        appleseed appleton appletre apppatch appraise approved aq1sw2de3 aqswdefr aquafina aqualung aquamann aquarium aquarius aquemini
        aqwzsxedc arabella arachnid aragorn1 arbuckle arcadia1 arcangel archange archangel archibal archibald archimed architec architect
        archives archmage arclight arcturus ardennes aregdone arenrone arequipa areyukesc argentin argentina argentum argonaut arguments
        arhangel arianna1 aristote aristotl aristotle arizona1 arkangel arkansas arlingto arlington armadill armadillo armagedd armageddon
        armagedo armagedon armastus armchair armenian armitage armstron armstrong armyofon arnster55 arrogant arrowhea arrowhead arschloc
        arschloch arsehole arsenal0 arsenal1 arsenal123 arsenal14 arsenal2 arsenal7 arsenal9 arsenalf arsenalfc arshavin art131313 artcast2
        artefact artem123 artem1991 artem1992 artem1994 artem1995 artem1998 artem2000 artem2010 artem777 artemartem artemis1 arthur69
        artichok artiller artillery artistic artofwar artur123 artur4ik arwpls4u arxangel as123456 as12az23 as5ffz17i asbestos asd12345
        asd123456 asd123asd asd123qwe asdasd12 asdasd123 asdasd22 asdasdas asdf0987 asdf1234 asdf12345 asdf4321 asdf67nm asdfasdf asdfasdf1
        asdffdsa asdfg123 asdfg1234 asdfg12345 asdfgh01 asdfgh12 asdfgh123 asdfgh123456 asdfghj1 asdfghjk asdfghjkl asdfghjkl1 asdfghjkl123
        asdfjkl1 asdfjkl; asdflkjh asdfqwer asdfrewq asdfvcxz asdfzxcv asdqwe12 asdqwe123 asdzxc123 asfnhg66 ashcroft ashleigh ashley01
        ashley10 ashley11 ashley12 ashley123 ashley19 ashley22 ashley24 ashley69 asianlov asmodean asmodeus asparagus aspirant aspirina
        aspirine assa1234 assasins assassin assassins assclown asscrack asseater assembler assembly assfuck1 assfucke assfucker asshole1
        asshole123 asshole2 asshole3 assholes asslicke asslicker asslover assmaste assmaster assmonke assmunch associat assorted assword1
        astalavista astaroth asterios asterix1 asteroid astonmar astonmartin astonvil astonvilla astra123 astra334566 astroboy astrodog
        astrolog astroman astronaut astronom astronomy astrovan asturias asuncion at4gftlw atalanta atherton athletic athlon64 atkinson
        atlanta1 atlantic atlantida atlantis atletico atljhjdf atombomb atreides attitude attorney auckland auckland2010 augsburg august10
        august11 august12 august15 august16 august17 august19 august20 august21 august22 august24 august25 august28 august29 august30
        august31 augustin augustus auntjudy aurelien aurelius austin01 austin11 austin12 austin123 austin31 austin316 austin97 austintx
        australi australia australia1 autechre authcode autobahn autobody automati automatic autopas1 autopass available avalanch avalanche
        avalon11 avangard avemaria avenger1 avengers aventura aviation avionics avogadro avondale avrillavigne avtoritet awdrgyjilp awesome1
        awesome123 awesome2 awo8rx3wa8t az123456 azathoth azerbaijan azerbaycan azerty12 azerty123 azertyui azertyuiop azfpc310 azlk2141
        aznpride azsxdc123 azsxdcfv azsxdcfvgb azwebitalia b0ll0cks b0nehead b1234567 b929ezzh babalola babe1987 babemagn babemagnet
        baberuth babochka babushka baby1234 baby2000 babybear babybird babyblue babyboy1 babycake babycakes babydoll babyface babygirl
        babygirl1 babygirl2 babygurl babyhuey babylon1 babylon5 babylon6 babylove babyphat babyruth bacardi1 bacchus1 bachelor backbone
        backd00r backdoor backdraf backhand backhome backlash backpack backside backspac backspace backward backwood backyard bacteria
        bad11bad badabing badaboom badboy123 badboy69 badboys2 badgers1 badgirls badhabit badiman28200 badkarma badkitty badlands badminto
        badminton badnaamhere badstuff baerchen baggins1 baggio10 bagheera bagpipes bailbond bailey01 bailey10 bailey11 bailey12 bailey99
        bajingan bajskorv bakayaro bakerman bakesale balabama balalaika balance1 baldeagl baldeagle baldhead baldrick baldwin1 balefire
        balerina balla007 baller23 ballgame ballin23 balloon1 balloons ballpark ballroom balls123 ballsack ballsdeep ballsout balmoral
        baltazar baltimor baltimore banaan123 banana12 banana69 bananaman bananana bananas1 bancroft banderas banderos bandicoot bandit01
        bandit11 bandit12 bangalor bangalore bangbros bangcock bangkok1 bangladesh banjoman bankrupt bankshot banshee1 baphomet baptiste
        barabash barabbas baracuda barakuda baranova barbados barbara1 barbaria barbarian barbaris barbaros barbarossa barbecue barbwire
        barcelon barcelona barchett barclays bareback barefeet barefoot baritone barkley1 barmalei barmaley barnabas barnacle barney01
        barney11 barney12 barnhart barnsley barnyard baroness barrabas barracud barracuda barrakuda barrett1 barriste barrynov barselona
        bartende bartender bartlett bartman1 baseba11 basebal1 baseball baseball1 baseball10 baseball11 baseball12 baseball2 baseball21
        baseball3 baseball7 baseball9 baseline basement basilisk basketba basketbal basketball basketball1 bass1234 bassboat bassfish
        basshead bassingw bassline bassman1 bassmast bassmaster bassplay bastard1 bastardo bastards bastille bastogne bathgate bathroom
        batistuta batman00 batman01 batman11 batman12 batman123 batman13 batman21 batman22 batman23 batman69 batman99 batterie batteries
        batterse battery1 battlefield battlestar bautista bavarian bayadera bayliner bayshore baywatch bazongaz bb123456 bbbbbb99 bbbbbbb1
        bbwlover bcfields bdfyeirf bdfyjdyf beachboy beachbum beaches1 beanhead beano002 beantown bear2327 bearboon bearcat1 bearcats
        bearclaw beardog1 beardown bearshar bearshare beast123 beast666 beastie1 beasties beastman beatles1 beatles4 beatles6 beatrice
        beaufort beaulieu beaumont beauties beautifu beautiful beautiful1 beaver12 beaver69 beaversx beavis69 beckham1 beckham23 beckham7
        beefcake beeldbuis beer1234 beerbong beergood beernuts beethove beethoven begemotik beginner behemoth beholder belgarat belgario
        belgorod believer belinda1 bella123 bellaboo belladog belladon belladonna bellagio bellaire belldandy bellevue bellsout bellybut
        belmondo belochka beloved1 belzagor bendover benedict benedikt benefits benessere benetton bengals1 benhogan benidorm benjamin
        benjamin1 benladen bennett1 bennevis benno007 bennyboy bentley1 berbatov berenice berezuckiy bergen09 bergerac bergeron bergkamp
        berkeley berkshir berl1952 berlin1945 berliner berlingo bermuda1 bernadet bernadette bernard1 bernardi bernardo bernhard bernie51
        berserke berserker bertrand bertuzzi besiktas bestfriend beszoptad bethany1 bethesda betrayal betrayed bettina1 bettis36 betty123
        bettyboo bettyboop bettylou beverage beverley beverly1 beyblade bg6njokf bhbyjxrf bhrh0h2oof6xbqjeh biarritz biblioteka biedronka
        bigasses bigballa bigballer bigballs bigbear1 bigberth bigbird1 bigblack bigblock bigblue1 bigboner bigboobs bigbooty bigboy11
        bigboy12 bigboy40 bigbroth bigbrother bigbubba bigbucks bigbutts bigchief bigcock1 bigcocks bigdaddy bigdaddy1 bigdawg1 bigdick1
        bigdicks bigdog69 bigfella bigfish1 bigfoot1 biggdogg biggirls biggreen bighouse bigjohn1 bigjuggs bigkahun bigloser bigmac12
        bigmaxxx bigmoney bigmoose bigmouth bignasty bigpappa bigpenis bigpimpi bigpimpin bigpimpn bigpoppa bigpussy bigsexxy bigsexy1
        bigsmall bigsmurf bigstick bigstuff bigtime1 bigtimer bigtits1 bigtitts bigtitty bigtruck bigtymer bigwaves bigwilli bigwilly
        bikerboy bilbobag bill1234 bill2455 billabon billabong billgate billgates billiard billings billions billy123 billybob billyboy
        billygoa billyjoe billyray bingbong bingo123 binladen biohazar biohazard biologia bionicle bioshock birdbath birdcage birdhouse
        birdland birdman1 birdsong birmingh birmingham birthday birthday1 birthday10 birthday100 birthday133 birthday2 birthday21 birthday26
        birthday27 birthday28 birthday299 birthday3 birthday36 birthday4 birthday5 birthday54 birthday6 biscayne biscuit1 biscuits bisexual
        bismarck bismilah bismilla bismillah bitch123 bitchass bitchboy bitchedu bitchedup bitches1 biteme12 biteme69 bj200ex1 blablabl
        black123 black666 blackadd blackadder blackand blackass blackbea blackbel blackbelt blackber blackberry blackbir blackbird blackboo
        blackbox blackboy blackbur blackburn blackcat blackcoc blackcock blackdic blackdick blackdog blackdra blackdragon blackeye blackfin
        blackfly blackgir blackhat blackhaw blackhawk blackhawks blackhea blackheart blackhol blackhole blackhorse blackice blackie1
        blackjac blackjack blacklab blacklabel blackmag blackman blackmen blackmetal blackmor blackone blackops blackout blackpoo blackpool
        blackpus blackros blackrose blacksab blacksex blackshe blacksheep blacksonblon blacksta blackstar blacksun blacktie blacktop
        blackwell blackwhite blackwid blackwol blackwoo blade123 blademan bladerun bladerunner blah1234 blahblah blankman blaster1 blaster2
        blasters blastoff blaze420 bleacher bleeding blenheim blessed1 blessing blessings blessyou blindman blingbli blingbling blink182
        blitzkri blitzkrieg blizzard blizzard1 blockbus bloembol blondie1 blondie2 blondinka blood123 blood666 bloodhou bloodlus bloodlust
        bloodred bloomberg bloomers blooming bloopers blossoms blowfish blowhard blowjob1 blowjob6 blowjob69 blowjobs blowme69 bltynbabrfwbz
        blue1234 blue2000 bluearmy blueball blueballs bluebear bluebell blueberr blueberry bluebird blueboys bluedevi bluedevil bluedevils
        bluedog1 bluedragon blueduck blueeyes bluefire bluefish bluegill bluegras bluegrass bluegreen bluejay1 bluejays bluejean bluelight
        blueline bluemoon bluenose bluenote blueprint blueroom bluerose blueskie blueskies bluesky1 bluesman bluestar bluetick bluetooth
        bluewate bluewave blumpkin blunt420 bluntman bmfc2353 bmvm3e46gtr bmw318is bmw325is bmw330ci bmw750il bmwpower bmx4life boarding
        boating1 bob12345 bobafett bobbobbo bobby123 bobbybob bobbyboy bobbyjoe bobbyorr bobcat12 bobdylan bobjones bobmarle bobmarley
        bobo1234 bobolink bobsmith bocephus bodensee bodiroga bodybuil bodyhamm bodyshop boeing74 boeing747 boeing77 bogdan123 bogdanova
        bohemian boilerma boing747 bojangle bollock1 bollocks bologna1 bombadil bombarde bomberman bombshel bonanza1 bonapart bond0007
        bond9007 bondage1 bondarenko bondra12 bonefish bonehead bonethug bonethugs boneyard bonghits bongtoke bongwater bonjour1 bonkers1
        bonoedge bonscott boobear1 boobies1 boobies2 boobless booboo11 booboo12 booboo69 boogaloo boogers1 boogiema boognish boogyman
        bookcase bookmark bookworm boomboom boomer12 boomer22 boomerang boomtown boondock boonedog booster1 bootcamp bootmort bootneck
        boots123 bootsman bootycal bootycall bootyman borabora bordeaux bordello borealis boredboi4u boris123 borisenko borisova born2run
        bornfree borntorun borodina borracho borussia bosco123 boscoe01 bosshogg bosslady bosstone boston11 boston12 boston99 bosworth
        bot_schokk botafogo botswana bouboule bouboune bouchard boulevar boundary boutique bowhunte bowhunter bowling1 bowling3 boxerdog
        boxster1 boxsters boy1cool23 boy4u2ownnyc boyfriend boyscout boywonde bpgjldsgjldthnf br00klyn br1ttany bracelet bradbury braddock
        bradford bradley1 bradpitt bradshaw braindea brainiac brampton branden1 brandnew brandon0 brandon00 brandon1 brandon2 brandon3
        brandon5 brandon6 brandon7 brandon8 brandonn brandy12 branford branston brasilia bratpack bravehea braveheart braves10 braves95
        bravo123 brazilia brazzers breadfan breadman breakdance breaker1 breakers breakfas breakfast breaking breakout brehznev breitlin
        brenda69 brendan1 brennan1 brentfor brentford brentwoo brentwood bretagne brethart brett123 brewcrew brewster bri5kev6 brian123
        brianna1 bridget1 bridgett bridgette brighton brigitte brillian brilliant brillo021 brimston bringiton brinkley brisbane bristol1
        bristolc britania britanni britches britney1 britneys brittani brittany brittany1 brittney broadban broadband broadway broccoli
        broncos1 broncos2 broncos7 broodwar brooking brooklin brooklyn brooklyn1 brooksie brother1 brother2 brothers brown123 browncow
        browndog browneye browneyes brownie1 brownies browning brownlov browns99 browseui bruce123 brucelee brucewayne bruckner bruins77
        bruiser1 brunette bruno123 brunodog brunswic brussels bruxelle bryan123 bsheep75 bubba111 bubba123 bubbabub bubbadog bubbaman
        bubblebox bubblegu bubblegum bubbles1 bubbles2 buccanee buchanan buckaroo buckeye1 buckeyes buckfast buckshot buckskin buckster
        buckwhea buckwheat buckwild budapest buddy111 buddy123 buddyboy buddycat buddydog buddylee budlight budlight1 budweise budweiser
        budwiser buffalo1 buffalo7 buffaloe buffalos buffett1 buffy123 buffy1ma buggerme bugmenot bugsbunn bugsbunny bugssgub buhjvfybz
        builders building bujhm123 bujhmbujhm bujhtdbx bujinkan bukowski buldozer bulgakov bulgaria bulldawg bulldog1 bulldog2 bulldog3
        bulldog5 bulldog6 bulldog7 bulldog8 bulldogg bulldogs bulldogs1 bulldoze bulldozer bulletin bullfrog bullhead bullnuts bullnuts2003
        bullride bulls123 bullseye bullshit bullshit1 bullwink bullwinkle bullyboy bumblebe bumblebee bumerang bungalow bunghole bunnies1
        bunny123 bunnyman buratino burberry burgerki burgundy burlpony burltree burnside burrfoot burrito1 burritos burton12 burunduk
        busdrive bushmast bushmaster bushwack bushwick business businessbabe bustanut buster01 buster11 buster12 buster123 buster21 buster22
        buster69 buster88 buster99 buterfly butter11 butterba butterbe butterbean buttercu buttercup butterfl butterfly butterfly1 buttface
        buttfuck butthea1 butthead butthole buttlove buttmunc buttmunch buttnutt buttocks buttons1 buttplug buzzard1 buzzkill buzzword
        bvgthfnjh bvncnbnvvbn byabybnb byajhvfnbrf bycnbnen bynthytn byrjuybnj c0l0rad0 c0rvette c32649135 c3por2d2 c43dae874d c43qpul5rz
        c7e4f8ezqh cab4ma99 caballer caballero cabbages cabernet cabibble cabinboy cabinets cabledog cableguy cableman cabowabo cacapipi
        cachondo cachorro cadillac cadr14nu caesar12 caffeine caffreys cagliari cahek0980 caitlin1 cakewalk calabria calamari calamity
        calavera calbears calculator calculus calcutta calderon caldwell caleb123 caledoni calendar calender calgary1 caliburn caliente
        californ californi california california1 caligula calimero callahan callaway calliope callista callisto callofduty calloway
        calvin12 calvin69 calypso1 camaleon camaleun camaro67 camaro69 camaross camaroz2 camaroz28 cambiami cambodia cambridg cambridge
        camel123 cameleon camelot1 cameltoe cameron0 cameron1 cameron2 cameron6 cameron7 cameron9 camilla1 camille1 camneely camp0017
        campbell campus100 camshaft canada12 canada99 canadian canadien canadiens canarias canaries canberra cancer69 candance candlebo
        candy123 candyass candybar candycan candycane candyeater candyfinger candyman canesfan canfield cannabis cannelle cannibal cannibus
        cannonba cannonda cannondale canoneos cantona1 cantona7 cantrell cantstop canucks1 capetown capital1 capital5 capitals capitano
        capoeira capricor capricorn capslock captain1 captain2 captain7 captaink capucine car12345 caramelo cardenas cardigan cardinal
        cardinals care1839 carebear carefree carla123 carleton carlisle carlitos carlos10 carlos12 carlos123 carlos68 carlotta carlsbad
        carlsber carlsberg carlton1 carmelit carmella carmen00 carmine1 carnaval carnegie carnival carnivor carolann carolcox carolin1
        carolina carolina1 caroline caroline1 carolyn1 carolynn carousel carpedie carpediem carpente carpenter carrera1 carrera4 carreras
        carriage carrillo cartagen carter12 carter15 carter80 carthage cartman1 cartman2 cartoon1 cartoons carvalho carwash1 casablan
        casablanca casandra casanova cascades casey123 caseyboy caseydog cashflow cashmere cashmone cashmoney casillas casper12 casper123
        casper13 casper99 cassandr cassandra cassidy1 cassie12 cassiope castaway castello castilla castillo castings catalina catalyst
        catapult cataract catarina catdaddy caterham caterina catering caterpil caterpillar catfight catfish1 catherin catherine cathleen
        catholic cathouse cathrine catinhat catlover catmando catolica catriona catsdogs catskill catsmeow catullus catwoman caution1
        cavalier cavaliers caveman1 cavscout cbarkley cbljhjdf cbljhtyrj cbr600f2 cbr600f3 cbr600f4 cbr600rr cbr900rr cbr929rr cbufhtnf
        ccccccc1 cchaiyas cde34rfv cdexswzaq cdtnjxrf cdtnkfyf cdtnkfyrf cdtnkzxjr cdznjckfd cecilia1 cegthgegth cegthgfhjkm ceisi123
        celebrat celebrit celebrity celeste1 celestia celestin celicagt cellphon cellphone cellular celtic1888 celtic67 celtic88 celticfc
        celtics1 centauri central1 centrino centurion cepseoun ceramics cerberus certclas certified cerulean cervantes cessna15 cessna17
        cessna172 cezer121 cfiekmrf cfitymrf cfkfvfylhf cfvlehfr cghfdjxybr cgtwbfkbcn cgzfrhuf ch1tt1ck ch3ch2oh chaching chadwick chainsaw
        chairman challeng challenge challenger chalmers chamberl chambers chameleo chameleon chamonix chamorro champ123 champagn champagne
        champion champion1 champions chandler chanelle change12 changeit changeme changeme1 changepa changing channel1 channels channing
        chantal1 chantell chantelle chaos666 chaparra chaplain chapstic characte character charcoal charger1 chargers chargers1 charisma
        charissa charisse charizard charlene charles0 charles1 charles2 charles3 charles4 charles7 charles9 charless charlest charleston
        charlie0 charlie1 charlie111 charlie123 charlie2 charlie3 charlie4 charlie5 charlie6 charlie7 charlie8 charlie9 charlieb charlied
        charliem charlies charlize charlott charlotte charlotte1 charlton charmain charmaine charmed1 charming charter1 chase123 chastity
        chatting chauncey cheaters cheating cheburashka cheburek checkers checking checkito checkmat checkmate checkout cheerios cheerlea
        cheerleader cheerleaers cheese12 cheeseburger cheeseca cheesecake cheetah1 cheetahs chelsea0 chelsea1 chelsea2 chelsea3 chelsea4
        chelsea5 chelsea6 chelsea7 chelsea8 chelseaf chelseafc chemical chemistr chemistry cherokee cherokee1 cherries cherry12 cherrypi
        cheshire chessman chessmas chessmaster chester1 chester123 chester2 chester3 chester7 chester8 chester9 chesterfield chesters
        chestnut chevalier chevelle chevette chevrole chevrolet chevy350 chevy454 chevyman chevys10 chevytru chevyz71 chewbaca chewbacc
        chewbacca cheyanne cheyenne cheyenne1 chgobndg chibears chicago0 chicago1 chicago2 chicago23 chicago3 chicago5 chicago7 chicago9
        chicco22 chicken0 chicken1 chicken123 chicken2 chicken4 chicken6 chickens chickenwing101 chicklet chico123 chief123 chieftai
        chiemsee chihuahu chihuahua chilango children children2 chilidog chilling chillout chimaera chimaira chimera1 chinacat chinadol
        chinadoll chinaman chinaski chinatow chinatown chinchil chinchilla chinese1 chingada chipchop chipmonk chipmunk chipotle chipper1
        chippers chippewa chipster chiquita chiquito chisholm chitarra chivalry chloe123 chloedog chlorine choclate chocolat chocolate
        chocolate1 choirboy choochoo chopper1 choppers chopsuey chouette chowmein chris100 chris123 chris198 chris200 chris999 chrisbln
        chrisbrown chrisrey chrissie chrissy1 christa1 christal christel christen christer christi1 christia christiaan christian christian1
        christie christin christina christine christma christmas christo1 christof christop christoph christophe christopher christopher1
        christos christy1 chronic1 chrysler chrystal chuck123 chuckie1 chuckles chuluthu chupakabra churchil churchill ciccione cidkid86
        cigarett cigarette cincinna cincinnati cinderel cinderella cindylou cingular cinnamon cisco123 ciscokid citabria citation citbanna
        citibank civilian civilization civilwar cjdthitycndj cjhjrbyf cjkysirj cjkytxyfz cjrjkjdf cjxb2014 ck6znp42 ckjytyjr claddagh
        clambake clapton1 clarence clarinet clarissa clarisse clarkken clarkkent clarkson classact classic1 classics claudia1 claudine
        claudius claybird claymore claypool clayton1 cleaners cleaning clearwat cleavage clemence clemente clementi clements clemson1
        cleopatr cleopatra clermont clevelan cleveland clifford climber1 climbing clinton1 clipper1 clippers clitlick clitoris clitring
        clockwor close-up clothing clownboy clubbing clubcapt clubpenguin clueless clusters cmigtvo7 cmu9ggzh cnfc35762209 cnfnbcnbrf
        cnfybckfd cnhfyybr cnhjbntkm cnhtrjpf cnjvfnjkju cntgfirf cntgfyjd cntgfyjdf cnthdjxrf coachman coasters cobblers cobra123 cobra427
        cobra777 cobrajet cocacola cocacola1 cochabamb cochrane cockgobbler cocklover cockring cocksuck cocksucker cocktail coco1234
        cocoloco coconuts cocopuff cocorico codeblue codename codered1 coffee11 coffee12 cokeisit coldbeer coldfire coldplay colegiata
        coleman1 coleslaw colin123 collants collect1 collecti collection collecto colleen1 college1 college2 collette collingw collins1
        colole57 colombia colonial colorado coloring colossus colt1911 coltrane columbia columbus comanche comander comatose combat123654
        comcast1 comeback comfort1 comicbook comicbookdb comicbooks comicsans command1 command2 commande commander commando commandos
        comments commerce commercial commodor commodore communic communit community compaq12 compaq123 compass1 compatible compiling
        complete completed component composer compound compress computador computadora compute1 computer computer1 computer12 computers
        comrades concepts concerto conchita concorde concordi concrete conditio condition conducto conehead confetti confiden confidence
        configuratio conflict confused congress connect1 connecte connecti connection connecto connelly connolly connor11 connor12 conquest
        consense constanc constance constant constanta constantin constantine construc construction consuelo consult1 consulta consumer
        contacts containe contains contessa contests continue contortionist contract contrasena contrast contrera control1 control2 controll
        controller controls converge converse cookbook cookie11 cookie12 cookie123 cookie13 cookie59 cookies1 cooking1 cool1234 coolbean
        coolbeans coolbree cooldude coolfool coolgirl coolguy1 coolhand coolidge coolman1 coolness coolwhip cooper11 cooper12 coorslig
        coorslight coorslit copeland copenhag copenhagen copernic copperco copperfi copyright corcoran cordelia cordless core2duo corleone
        cornball cornbrea cornbread cornelia cornelis corneliu cornelius cornell1 cornflak cornhole cornholi cornholio cornhusk cornwall
        coronado corperfmonsy corporal corporat corporation corpsman corrado1 corratec corrigan corsair1 cortland corvet07 corvett1 corvette
        corvette1 cosmetic cosmo123 cosmodog cosmopolitan costanza costaric costarica costello cosworth cottage1 cottages cougar11 cougars1
        counchac countach counter1 counters counterstrike countess counting country1 countryb countyli courtney courtney1 cousteau covenant
        coventry coverall covingto cowabung cowboy12 cowboy22 cowboys0 cowboys1 cowboys2 cowboys3 cowboyup cowsrule cptnz062 cqub6553
        crabcake crabtree cracker1 crackers crackhea crackhead crackpot cracksevi craig123 cranberr cranberry cranston crawfish crawford
        crayfish crazy123 crazybab crazyboy crazycat crazyfrog crazyhor crazyhorse crazyman crazyzil creampie creamyou creatine creation
        creativ1 creative creative1 creature creditca creepers crenshaw creosote crepusculo crescent cressida crevette cribbage crichton
        cricket1 crickets crickett criminal crimson1 crippler cristian cristiano cristina cristobal cristopher critical critter1 critters
        crjhgbjy crjhjcnm crockett crocodil crocodile cromwell cronaldo crosby87 crossbow crossfir crossfire crossing crossman crossroa
        croucher crownvic cruiser1 cruising crusader cruzazul cruzeiro crystal0 crystal1 crystal2 crystal7 crystals csfbr5yy csyekmrf
        ctdfcnjgjkm ctdthysq cthulhu1 cthuttdbx cthuttdf cthuttdyf ctrhtnyj ctvtyjdf cubalibr cubalibre cubbies1 cubswin1 cucciolo cucumber
        cuddles1 culinary cumberla cumeater cumlover cummings cumsalot cumshot1 cumshots cumstain cumsucker cunningh cuntfinger cunthole
        cuntlick cuntsoup cupcake1 cupcakes curious1 curitiba currahee curtains customer cutegirl cuthbert cutiepie cutlass1 cuyahoga
        cvbhyjdf cvtifhbrb cvzefh1gk cvzefh1gkc cxfcnkbdfz cxfcnmttcnm cxzdsaewq cyberman cybernet cyberonline cybersex cyclone1 cyclones
        cyclops1 cyecvevhbr cygnusx1 cyjdsvujljv cynthia1 cypress1 cytuehjxrf cytujdbr czekolada d1234567 d1i2m3a4 d1lakiss d36rkqdff
        d78unhxq dabl1125 dad2ownu daddy123 daddymac daddysgirl daedalus daffodil daffyduc daffyduck daftpunk dagestan dagobert daisy123
        daisy3112 daisydog daisymae daisymay dakota01 dakota11 dakota12 dakota99 dalejr88 dalglish dallas01 dallas11 dallas12 dallas21
        dallas22 dallas33 dallas88 dallastx dalmatio damage11 damascus damilola damned69 damngood damocles dance123 dandelio dandelion
        danechka dangerou dangerous daniel00 daniel01 daniel10 daniel11 daniel12 daniel123 daniel19 daniel20 daniel21 daniel26 daniel69
        daniela1 danielit daniella danielle danielle1 danijela danil8098 danilova danknugs danniash danny001 danny123 dannyboy dannym88
        dante123 danthema dantheman danville danziger dapzu455 daredevi daredevil darkange darkangel darkfire darkhors darkjedi darkknig
        darkknight darklord darkmage darkmanx darkmoon darkness darkness1 darknigh darknight darknite darkroom darkseed darkside darksoul
        darkstar darkwing darkwolf darling1 darthmau darthmaul darthvad darthvader dartmout dartmouth dasha123 dasha2010 dashadasha dashenka
        database datalife datalore datnigga daughter dauntivi dave1234 davecole daveyboy david123 david777 davidkin davidlee davidoff
        davidruiz davidson davinchi daybreak daydream daylight daytona1 daywalke daywalker dbjktnnf dbm123dm dbnfkbyf dbrecmrf dbrnjhbz
        dbrnjhjdbx dbrnjhjdyf dbyjuhfl dcowboys dctdjkjl dctktyyfz dctvcjcfnm dctvgbplf dctvghbdf dctvghbdtn dcunited ddddddd1 de1987ma
        deadbeat deadfish deadfred deadhead deadlift deadline deadlock deadman1 deadmau5 deadmeat deadmoin deadpool deadsexy deadsoul
        deadspin deadwood deadzone deangelo dearborn death123 death666 deathblo deathnote deathrow deathsta deathstar debbie69 deborah1
        debtfree debugger december december1 december2 decembre decipher decision deepblue deepdive deeppurple deepthro deepthroat deepwate
        deerhunt deerhunter deerpark deeznuts deeznutz default1 defender defiance defiant1 deflep27 deftones delacruz delasoul delaware
        delerium deliciou delicious delights delirium delivery delorean delphine delpiero delta123 deltachi deltaforce deltaone deltasig
        deltatau demchenko demented dementia demetria demetrio demetriu democrat demolition demon123 demon666 den040791 den12345 denis123
        denis1983 denis1984 denis1987 denis1988 denis1989 denis2011 denise01 deniska1 denman85 dennis12 dentista department depeche1
        depechemode derelict derparol derrick1 derrickh description desdemon desember designer deskjet1 desperad desperado desperados
        destinee destiny1 destiny2 destiny7 destroye destroyer destruct destruction detectiv detective dethklok detroit1 deutsche deutschl
        deutschland devastator develope developer devil123 devil666 devilboy devildog devildriver devilish devilman devilmay devilmaycry
        devilmaycry4 devo2706 devochka devotion dexter12 dezember dfcbkbcf dfcbkmtd dfcbkmtdf dfhrhfan dfkmltvfh dfkmrbhbz dfktynby
        dfktynbyf dfktynbyrf dfnheirf dfyjdf846 dgl70460 dhjnvytyjub diabetes diablo11 diablo123 diablo23 diablo66 diablo666 diablo69
        diabolic diabolik diagonal diamante diamond0 diamond1 diamond2 diamond3 diamond4 diamond6 diamond7 diamond8 diamond9 diamondb
        diamondd diamonds diana123 diana2002 dianochka diapason diciembr dickens1 dickface dickhead dickless dicklick dickster dicksuck
        dickweed dictator dictiona dictionary diebitch diego123 diehard1 dienstag diesirae dietcoke dietpeps dietrich differen difference
        digital1 digital2 digitalprodu digiview dignity7 dilbert1 dilligaf dilligas dillinge dillweed dima1234 dima12345 dima1983 dima1985
        dima1989 dima1990 dima1991 dima1992 dima1993 dima1994 dima1995 dima1996 dima1997 dima1998 dima1999 dima2000 dima2009 dima2010
        dima2011 dima3452 dimabilan dimanche dimazarya dimedrol dimensio dimension dimidrol dimitris dimochka dimon4ik dinamite dingdong
        dinmamma dinochka dinosaur dinsdale diogenes dionysus diosesamo dipascuc diplomat dipstick director directory direktor direwolf
        dirkpitt dirtball dirtbike dirtybir dirtyboy dirtycunt dirtydog dirtygirl dirtyman disabled disaster discgolf disciple discordi
        discount discover discovery discreet dishwash diskette disneyland disorder dispatch distance district disturbe disturbed divedeep
        diverdow diversio divinity division divorced dixiedog diya2003 djg4bb4b djgabbab djkrjlfd djkujuhfl djljghjdjl djtiesto dkfcntkby
        dkflbckfd dkflbdjcnjr dkflbvbh dkflbvbhjdbx dkflbvbhjdyf dkjfghdk dm6tzsgp dmfxhkju dmiller12as dmitriev doberman doc_0815 dochenka
        doctorwh document dodgeram dodgers1 dodgeviper dodobird dogballs dogbert1 dogbones dogbreat dogbreath dogfight doggy123 doggydog
        doggysty doggystyle doghouse doglover dogmatic dogmatix dogmeat1 dogphil3650 dogpound dogstyle dohcvtec dolemit1 dolemite dolittle
        dollarbi dollface dolomite dolphin1 dolphin2 dolphin5 dolphin6 dolphin9 dolphins dolphins1 doma77ns domainlock2005 domenico domestic
        dominant dominate dominati domination dominator domingue dominic1 dominica dominick dominik1 dominika dominion dominiqu dominique
        dominoes domodedovo donaldduck donatella donatello donkeykong donna123 donnelly dont4get dontcare dontdoit dontforg dontgotm
        donthate dontknow donttell doodlebu doomsday doorbell doorknob dopamine dopehead doraemon doromich dorothea dorothee dorothy1
        dortmund dothedew douchebag doughboy doughnut douglas1 douglass dovetail dowjones downfall downhill download downtime downtown
        downunde draconis dracula1 drafting dragon00 dragon01 dragon05 dragon06 dragon10 dragon11 dragon12 dragon123 dragon13 dragon17
        dragon18 dragon19 dragon20 dragon21 dragon22 dragon23 dragon25 dragon33 dragon35 dragon44 dragon64 dragon66 dragon666 dragon69
        dragon76 dragon77 dragon88 dragon98 dragon99 dragonage dragonba dragonball dragonballz dragonfi dragonfire dragonfl dragonfly
        dragonforce dragonla dragonma dragonman dragons1 dragonss dragoon1 dragrace dragstar dragster dreadful dreamcas dreamcast dreamer1
        dreamer2 dreamers dreamgirl dreaming dreamonline dreamteam dressage drifting drilling drinking dripping driscoll drjynfrnt dro8smwq
        dropdead dropkick dropzone drowning drowssap drpepper drstrang drugfree druhay17 drumandbass drumline drummer1 drummers drumming
        drummond drumnbass drusilla ds7zamnw dsobwick dtcyeirf dtheyxbr dthjybrf dthjybxrf dthyjcnm dtkjcbgtl dtxyjcnm dtybfvby dtynbkznjh
        ducati74 ducati99 duchess1 duckbutt duckhead duckhunt duckling duckpond ducksoup ducttape dude1234 dude1998 dudelove duffbeer
        duffydog duisburg dukeblue dukenuke dukenukem dukester dulcinea dumbass1 dumbfuck dumbshit dumpling dumpster duncan21 dune2000
        dunnowho89 dunwoody duplicate dupont24 duracell durandal durango1 dustin23 dusty123 dusty197 dustydog dutchess dutchman dylan123
        dylandog dynamics dynamite dynastar dynomite dzxtckfd e214fre21 e2fq7fzj e6pz84qfcj eae21157 eagle123 eagleeye eagleman eagleone
        eagles05 eagles11 eagles12 eagles20 eagles22 earlgrey earnhard earnhardt earnhart earthlin earthlink eastern1 eastside eastwest
        eastwood easy1234 easypass easyride eatadick eatmenow eatmeraw eatmyass eatpussy eatshit1 ebenezer eclectic eclipse1 eclipse2
        eclipse9 economia economic economics economist edcwsxqaz eddie123 eddie666 eddieboy edelweis edgewise edgewood edinburg edinburgh
        edinorog edmonton eduardo1 educatio education edward11 edward12 edwardcullen edwards1 edwardss eeeeeee1 efbcapa201 eggplant
        eghfdktybt egyptian eight888 eightbal eightball eighteen einstein einstien eintrach eintritt ejaculation ekaterina ekaterina20
        ekilpool eklhigcz el345612 el546218 elaine22 elates_y elbereth elcamino eldiablo eldorado eldridge eldritch eleanor1 election
        electra1 electric electro1 electron electronic electronics elefante elegance elektrik element1 element2 elementa elemental elements
        elena123 elena1971 elena1975 elena2010 elenberg eleonora elephant elephant1 elevatio elevation elevator eleven11 elfquest elfriede
        elfstone elisabet elisabeth elizabet elizabeth elizabeth1 elizaveta ellehcim elliott1 ellswort elmer251 elmhurst elsalvador elsinore
        elvira26 elvis123 emachine emachines emanuela emanuele embalmer emerald1 emergenc emergency emerson1 emiliano emily123 emilyann
        eminem11 eminem12 emirates emmajane emmanuel emmarose emmitt22 emotions empire11 employee emporium emyeuanh enamorad enchante
        encounter endeavor endymion energize energizer energy12 enforcer engineer engineering england1 english1 enhanced enlighte enolagay
        enormous enrique1 enron714 ensemble enter123 entering enternow enterpri enterprise entertai entertainment entrance envelope envision
        epaulson epervier epidemia epiphany epiphone episode1 epsilon1 erection ereiamjh eric1132 eric1234 erickson ericsson eriksson
        erkebulan erotica1 eruption escaflowne escalade escorpio escorpion esmerald esmeralda esoteric esperanz esperanza espinosa espinoza
        espiritu esposito espresso essayons essendon essential estefani estefania estoppel estrella estrellit eternal1 eternity ethan123
        ethereal ethernet ethiopia euclid90 euphoria euro2000 eurocard euroline european eus1sue1 evaluate evanescence evangeli evangelion
        evanston evenflow evenstar eventlog everclea everest1 evergree evergreen everlast everlong evermore everques everquest everton1
        evertonf everyday everyone everythi everything evgeniya evidence evildead evillive evolutio evolution examiner excalibe excaliber
        excalibu excalibur excellen excellence excellent excelsio exchange exciting exclusiv exclusive executiv executive executor exercise
        exorcist expediti experience experienced explicit exploite exploiter explore1 explorer explorer1 explosiv exposure express1 express2
        expresso external extra300 extra330 extreme1 eybdthcbntn eyeballs eyecandy eyesonly ezequiel f00tball f14tomcat f15eagle f1f2f3f4
        f22raptor f8yruxoj fabienne fabolous fabregas fabrizio fabulous face2face facebook facefuck facelift fafyfcbq fafyfcmtd fahjlbnf
        failsafe fairbank fairchil fairfiel fairlady fairlane fairless fairmont fairview fairytail faith123 faithful faithless fakepass
        falcon01 falcon11 falcon12 falcon16 falcon21 falcon69 falconer falcons1 falkland fallenangel fallengun fallout1 fallout2 fallout3
        falloutboy falstaff family01 familyguy fandango fanta123 fantasia fantasie fantasies fantasma fantasti fantastic fantasy1 fantasy7
        fantasy8 fantomas fantomen farfalla farmhous farmland farmvill farragut farscape farside1 fartface fartripper fastback fastball
        fastcars fastdraw fastfood fastlane fatal1ty fatality fatbitch fatdaddy fatgirls fathead1 fatima753357 fatluvr69 fatpussy faulkner
        faustino favorite favorite2 favorite3 favorite4 favorite5 favorite6 favorite7 favorite8 fbi11213 fcbarcelona fcbayern fcc5nky2
        fcnfkfdbcnf fdfyufhl fdnjhbpfwbz fearless feather1 feathers february federica federico fedorova feedback feelgood fefolico feldspar
        felicia1 felicida felicidad felicidade felicita felicity felix123 felixcat felixxxx fellatio fellowes fender12 fenerbahc fenerbahce
        fengshui fenomeno ferdinan ferdinand ferguson ferien12 fernanda fernande fernandes fernandez fernando fernando1 ferndale fernwood
        ferrari1 ferrari2 ferrari3 ferrari4 ferrari5 ferrarif ferraris ferreira festival fetish01 fetish69 feuerweh feuerwehr feyenoor
        feyenoord fffffff1 ffvdj474 fgdfgdfg fgjkbyfhbz fgjrfkbgcbc fgtkmcby fhbyjxrf fhnehxbr fhntv1998 fhutynbyf fhvfutljy fibonacci
        fickdich ficktjuv fiction6 fiction7 fiction9 fidelity fidodido fielding fietsbel fifa2000 fifa2008 fifa2010 fifa2011 fightclu
        fightclub fighter1 fighters fighting fighting54 filatova filibert filipino filippov fillmore filmstar filomena finalfan finalfantasy
        finance1 financia financial findaupair007 finished finnegan finnland fiorentina fire1234 fireball firebird fireblad fireblade
        firedawg firedept firefigh firefighter firefly1 firehawk firehose firehous fireman1 fireplug firestar firestarter fireston firestor
        firestorm firetruc firetruck firewalk firewall firewate firewire firewood firework fireworks firstaid firstone firstone123 firstson
        firsttim fish1234 fishbait fishbone fishbowl fishcake fisherma fisherman fishface fishfinger fishfood fishhead fishhook fishing1
        fishing4 fishlips fishpond fishtank fistfuck fitness1 fitzgera fitzgerald fiveiron fivekids fivestar fixitman fjnq8915 fjysk762
        fk8bhydb fkbyf001 fkbyf123 fkbyjxrf fkg7h4f3v6 fkmnthyfnbdf fkojn6gb fkrjujkbr fktdnbyf fktif6115 fktrcfyl fktrcfylh fktrcfylh1
        fktrcfylhf fktrcfylhjd fktrcfylhjdbx fktrcfylhjdf fktrcfylhjdyf fktrcfylth fktrcttd fktrcttdf fktyeirf fktyjxrf flagpole flagship
        flameboy flamenco flamengo flamingo flanders flanker7 flannery flapjack flash123 flashbac flashman flashnet flatboat flatbush
        flathead flatland flatline flatron1 flawless fleetwoo fleetwood flemming fleshbot fletcher flexible flexscan flhtyfkby flimflam
        flinders flintsto flintstone flipflop flipmode flipper1 flippers flipside flooring florence florenci florencia florian1 florida1
        florida2 flounder flower12 flowers1 flowers2 flushing flvbybcnhfnjh flyers88 flyers99 flyfishi flyvholm flywheel fm12mn12 fnkfynblf
        foiegras followme fontaine foofight foolish1 foosball footbal1 football football1 football10 football12 football123 football2
        football5 football6 football7 footballs footfuck foothill footlong footloos footlove footslav forbidde forbidden ford9402 fordf150
        fordf250 fordf350 fordfocu fordfocus fordgt40 fordtruc fordtruck forecast forensic foreplay foreskin forest11 forest99 forester
        forestman forestry forever1 forever21 foreveryoung forgetit forgetme forgetmenot forgiven forgotit forgotte forgotten forklift
        formatters formula1 forrest1 forsaken forsberg forsythe fortknox fortress fortunat fortune1 fortune12 fortyone fortytwo forward1
        forzaroma fotograf foucault foulball foundati foundation fountain fourkids fournier fourplay fourstar fourteen fourtrax fox12345
        foxglove foxhound foxmulder foxtrot1 foxwoods foxylady foxyroxy fractals fragment francais france98 frances1 francesc francesca
        francesco franchis francine francis1 francis2 francisc francisca francisco francois frank123 frankfur frankfurt frankie1 franklin
        franklyn frankzap frankzappa frdfhbev frdfkfyu fre_ak8yj freakboy freakdog freakout freaksho freakshow freckles fred1234 fredderf
        freddie1 freddy12 frederic frederick frederico frederik frederiksberg fredonia fredrick free4all freebird freecell freeclus freedom0
        freedom1 freedom2 freedom3 freedom4 freedom5 freedom7 freedom8 freedom9 freedoms freefall freehand freehold freejack freelanc
        freelancer freeland freelove freemail freeman1 freemind freemont freeones freepass freeporn freeport freeride freesex1 freespace
        freestuff freestyl freestyle freesurf freetime freeuser freeway1 freewill freezing freiburg freiheit frenchfr frenchie frequenc
        freshman freyfvfnfnf frfltvbz friction friday13 fridolin friedman friedric friendly friends1 friendship friendste friendster
        fritolay frodobag frogface frogger1 froggies froglegs frogman1 froinlaven fromhell fromvermine front242 frontera frontier frontline
        frontosa frost1996 frostbit frostbite frozenfish fruitbat fruitcak fruitcake fsd9shtyu fsunoles fubar123 fuck1234 fuck_inside
        fuckedup fucker11 fucker12 fucker69 fuckersss fuckface fuckfest fuckgirl fuckhard fuckhead fuckher1 fuckhole fucking1 fuckinside
        fuckinti fuckitall fucklife fucklove fuckme69 fuckmeha fuckmehard fuckmeno fuckmenow fuckmyass fuckmylife fucknuts fuckoff1 fuckoff2
        fuckoff666 fuckshit fuckslut fuckstic fuckstick fucktard fuckthat fuckthem fuckthemall fucktheworld fuckthis fuckthroat fuckuall
        fuckyeah fuckyou! fuckyou0 fuckyou1 fuckyou12 fuckyou123 fuckyou2 fuckyou6 fuckyou69 fuckyou7 fuckyou8 fuckyoua fuckyoubitch
        fuckyouguys fuckyour fufnfrhbcnb fugitive fuhrfzgc fujifilm fulhamfc fullback fullhous fullmetal fullmoon fullsail fumanchu function
        funforme funfunfu fungible funhouse funkster funnycar funnyguy funnyman funstuff funtime1 funtimes furelise furnitur fusilier
        fussball futurama futyn007 fuzzball fuzzbutt fvcnthlfv fy.njxrf fyfcnfcbz fyfcnfcbz1 fyfnjkbq fyfnjkmtdbx fyfnjkmtdyf fyfrjylf
        fylh.irf fylhjvtlf fylhtq123 fylhtq95 fylhtqrf fylhttdf fynfyfyfhbde fynjy123 fynjybyf fynjyjdf fyutkbyf fyutkjxtr g0dz1ll4 g1234567
        gabriel1 gabriel12 gabriel2 gabriela gabriele gabriell gabriella gabrielle gadzooks galactic galactica galactus galadriel galapago
        galatasa galatasara galatasaray galeries gallaghe gallardo gallaries galleries galloway galvesto gamecock gamecocks gamecube
        gamemaster gameover gameplay gamer123 gametime gandalf0 gandalf1 gandalf2 gandalf3 gandalf7 gangbang gangbanged gangsta1 gangstar
        gangster gangster1 gangsters ganjaman ganjubas gannibal ganymede garbage1 garcia12 gardener gardenia gardiner garfield garfield1
        gargamel gargoyle garibald garrett1 garrison gasoline gatekeep gatekeeper gateway0 gateway1 gateway2 gateway3 gateway5 gateway6
        gateway7 gateway9 gateways gathering gatorade gatorfan gatorman gators96 gaudeamus gauloise gauntlet gauthier gavrilov gayathri
        gb15kv99 gbgbcmrf gbhfvblf gbkbuhbv gblfhfcbyf gblfhfcs gbljhfcs gborv526 gbpacker gbplf123 gbpltw123 gbpltw147 gcheckou gcheckout
        gearhead gearsofwar geddylee geemoney geibcnbr geilesau gemini12 gemini13 gemini69 gemstone general1 general2 generale generals
        generation generator generic1 genesis1 genesis2 genetics geneviev genevieve genius123 geniusnet gennadiy genocide genoveva gentleman
        geoffrey geolog323 geometry george01 george10 george11 george12 george123 george13 george69 george99 georgetown georgia1 georgia2
        georgie1 georgina geraldin geraldine geranium gerasimov gerasimova gerhardt gerlinde germaine germania germany1 geronimo gerrard8
        gerrity1 gerryber gershwin gertrude gesperrt getalife getfucked getinnow getitnow getmoney getnaked getsdown getsmart getsome1
        gettysbu gettysburg gevaudan gfccdjhl gfccgjhn gfgf1234 gfgfrfhkj gfgfvfvf gfhfcjkmrf gfhfdjpbr gfhfktkjuhfv gfhfljrc gfhfvgfvgfv
        gfhfyjbr gfhfyjqz gfhjkbot gfhjkm007 gfhjkm11 gfhjkm12 gfhjkm123 gfhjkm13 gfhjkm135 gfhjkm22 gfhjkm777 gfhjkmgfhjkm gfhjkmrf
        gfhjkmxbr gfhjkzytn gfhkfvtyn gfhnbpfy gfif1991 gfitymrf gfxqx686 gfyfcjybr ggggggg1 ghbdtn12 ghbdtn123 ghbdtnbr ghbdtnbr1 ghbdtnbrb
        ghbdtndctv ghbdtnghbdtn ghbdtngjrf ghbdtnrfrltkf ghbjhbntn ghblehjr ghblehrb ghbrjkbcn ghbrjkmyj ghbywtccf ghfplybr ghhh47hj764
        ghhh47hj7649 ghislain ghjatccbjyfk ghjatccjh ghjcgtrn ghjcnbnenrf ghjcnbvtyz ghjcnj123 ghjcnjabkz ghjcnjgbpltw ghjcnjgfhjkm
        ghjcnjghjcnj ghjcnjnf ghjcnjnfr ghjcnjnfr1 ghjcnjqgfhjkm ghjcnjrdfibyj ghjcnjrdfif ghjdthrf ghjgfufylf ghjnbdjcnjzybt ghjnbdjufp
        ghjnjnbg ghjnjrjk ghjrehfnehf ghjrehjh ghjrjgtyrj ghjuhfvbcn ghjuhfvvbcn ghjuhfvvf ghjuhtcc ghjvtntq ghost123 ghostdog ghostman
        ghostrecon ghostrid ghostrider ghtdtlvtldtl ghtktcnm ghtlfntkm ghtpbltyn giampaolo giancarl giancarlo gianluca giantess giants56
        gibralta gibsonsg gigabyte gigantic gigantor gigemags gilbert1 gilbert2707 gilberto gilgames gilgamesh gillespi gillette gillian1
        gilligan gimmesum ginger01 ginger11 ginger12 ginger123 ginger69 ginger99 ginsberg ginscoot gintonic ginuwine giordano giovanna
        giovanni girasole girfriend girlfrie girlfriend girls4me girlygirl giuliana giuliano giuseppe giveitup gizmo123 gizmocat gizmodo1
        gizmodo2 gizmodog gjdtkbntkm gjhjctyjr gjhjlfcjqrb gjikbdctyf gjkbyjxrf gjkjdbyrf gjkrjdybr gjkysqgbpltw gjkzrjdf gjlcnfdf
        gjyjvfhtdf gjytltkmybr gkfdfybt gladbach gladiato gladiator gladiolus gladston glasgow1 glasnost glassjaw glassman glastron glendale
        glennwei glenwood glock9mm glorious glowworm gmcjimmy gmctruck gn56gn56 gnasher23 go4broke go4itnow goathead gobigred gobrowns
        gobruins gobucks1 gobuffs2 godbless goddess1 godfathe godfather godflesh godisgoo godisgood godisgreat godislov godislove godloves
        godofwar godsgift godslove godsmack godspeed godswill godzilla godzils4s7 goeagles gofaster goforit1 gofsu338 gogators gogetter
        gogiants gohabsgo gohogsgo goirish1 golakers goldberg goldenbo goldenboy goldeney goldeneye goldfing goldfinger goldfish goldmine
        goldorak goldrush goldsink goldstar goldstei goldtree goldwing goleafsg golf1234 golfball golfcart golfclub golfer01 golfer11
        golfer12 golfer20 golfer23 golfer69 golfing1 golgotha goliath1 gondolin gonefish goniners gonzales gonzalez gonzo123 goober12
        good12345 good123654 good4now good4you goodbeer goodboss goodboy1 goodbye1 goodfell goodfella goodfellas goodfood goodgame goodgirl
        goodguys goodhead goodison goodlife goodlord goodlove goodluck goodmorning goodness goodnews goodnigh goodnight goodpussy goodrich
        goodstuf goodstuff goodtime goodtimes goodtogo goodwill goodwood goodyear goofball goofy123 google10 google12 google123 gooliner
        gooner01 gooseman gopackgo gopinath gorbunov gorbunova gordienko gordolee85 gordon24 goredsox gorgeous gorilla1 gorilla9 gorillas
        gorillaz gossamer gosselin gostosao gotigers gotohell gotribe1 gottlieb gotyoass governor gracchus grace123 graceful gracelan
        graceland graduate graffiti grainger grandam1 grandkid grandkids grandma1 grandmas grandmaster grandorgue grandpri grandprix
        grandson granvill grapeape graphics graphite grappler grasshop grasshopper grateful gravedig grayson1 graywolf gre69kik great123
        greatdan greatest greatgoo greatman greatnes greatone greatsex greatwhi greatzyo greedisgood greekboy greekgod green123 green420
        greenbay greenber greenbud greencat greenday greenday1 greendog greenegg greenery greeneye greeneyes greengre greenguy greenhouse
        greenlan greenlantern greenlea greenlee greenman greenpea greentea greentre greentree greenwav greenway greenwic greenwoo greenwood
        greeting greetings gregorio gregory1 gregster gremlin1 gremlins grendel1 grenoble greshnik gretchen gretzky9 greybear greyhawk
        greyhoun greyhound greywolf gridiron gridlock griffey1 griffin1 griffins griffith grigoryan grimlock grimreap grimreaper grinders
        grinding grizzley grizzlie grizzly1 grossman groucho1 groundho groupd2013 gsewfmck gsgba368 gsxr1000 gsxr1100 gtfullam gthcjyfk
        gthtcnhjqrf gthtrfnbgjkt gthtrhtcnjr gtkmvtyb gtkmvtym gtnheirf gtnhjczy gtnhjdbx gtnhjdyf gtnhjpfdjlcr gtogto43 gtxtymrf gtynfujy
        guadalup guadalupe guardian guatemal guatemala guderian guenther guerilla guernsey guerrero guesswho guildwars guilherme guillaum
        guillaume guillerm guillermo guinness guinness1 guitar01 guitar11 guitar12 guitar69 guitarhero guitarist guitarma guitarman guitarra
        gulfstre gulliver gunblade gundam00 gundamwing gunfight gungadin gungrave gunner01 gunners1 gunnison gunsling gunslinger gunsmith
        gunsmoke gunther1 gurpreet gurumayi gustavo1 gutentag gutierre gutierrez guybrush gwendoli gxlmxbewym gy3yt2rgls gymnast1 gymnastic
        gypsydog gznybwf13 h0lygr41l h200svrm h397pnvr h72sfibbnl h9iymxmc habanero habbo123 hacienda hackaren hackedit hagakure haguenau
        haha1234 haileris hairball hairless hakkinen halflife halflife2 halfmoon halfpint halftime hallelujah hallmark hallo123 hallowboy
        hallowee halloween haloreach hambone1 hamburg1 hamburge hamburger hamilton hammarby hammer00 hammer01 hammer11 hammer12 hammer22
        hammer69 hammer99 hammered hammerhe hammerhead hammers1 hammertime hampster hamradio hamster1 hamsters hand2000 handbags handball
        handbook handcuff handicap handsoff handsome handyman hangover hangtime hankster hannah01 hannah11 hannah12 hannah22 hannelor
        hannibal hannover hansolo1 hanswurst happiest happines happiness happy100 happy123 happy200 happyboy happycat happyday happydays
        happydog happyface happyguy happyhap happyjoy happylife happyman happyness happyone happytim harakiri harbinger hardaway hardball
        hardbody hardc0re hardcock hardcor1 hardcore hardcore1 harddick harddriv hardhead hardkore hardline hardpack hardrock hardtail
        hardtime hardtoon hardware hardwareid hardwick hardwood hardwork harlequi harley01 harley03 harley11 harley12 harley13 harley20
        harley69 harley88 harley99 harleyma harmless harmonic harmony1 harringt harrison harrison1 harry123 harrydog harryhoo harrypot
        harrypotter harsingh hartford hartland hartmann harvest1 hassagjs hastings hatebree hatelove hatesyou hatfield hathaway hatteras
        hattrick haustool havefun1 hawaii50 hawaiian hawaiiguy hawkdog79 hawkeye1 hawkeyes hawkmoon hawkwind hawkwood hawthorn hayabusa
        hayastan hazelnut hd764nw5d7e1vb1 hd764nw5d7e1vbv headache headcase headhunt headhunter headless headroom headshot headspin heartbre
        heartless heat7777 heather1 heather2 heather4 heather6 heather7 heather9 heathers heathrow heatwave heavenly heavymet heavymetal
        heckfyxbr hedgehog hedimaptfcor hedj2n4q hedonism hedonist heimdall heimlich heineken heinlein heinrich hejmeddig hejsan123 helicopt
        helicopter hellbent hellboun hellbound hellfire hellgate hellhole hellhoun hello101 hello123 hello1234 helloall hellohel hellokit
        hellokitty helloman hellomoto hellothe hellothere helloween hellowor helloworld helloyou hellrais hellraiser hellsbel hellsing
        hellspaw hellspawn hellyeah helpdesk helpless helpme96 helsinki hemicuda hemingwa hemmelig henderso henderson hendrick hendrix1
        hendrix2 hennepin hennessy henriett henrique henry123 heracles herbert0 herbert1 hercules hereford herewego heritage herkules
        hermione hernande hernandez hernando herpderp herschel hershey1 hesoyam1 hesoyam123 hetfield heythere hfcgbplzq hfcnbirf hfcnfvfy
        hfgcjlbz hfpldfnhb hhhhhhh1 hiawatha hibernia hibernian hibiscus hideaway higgins1 highball highbury highfive highgate highheel
        highjump highland highlander highlife highspee hightech hightide hightime highway1 highwind hihje863 hijodeputa hilfiger hillary1
        hillbill hillbilly hillcres hilliard hillside himalaya hindustan hiroyuki hispanic history1 hithere1 hitman47 hjcnbckfd hjlbntkb
        hjvfirf1 hjvfyjdf hjvfynbr hjvfynbrf hkger286 hobbes12 hobbiton hobgoblin hobiecat hockey10 hockey11 hockey12 hockey123 hockey13
        hockey14 hockey19 hockey21 hockey22 hockey30 hockey33 hockey69 hockey77 hockey99 hocuspocus hoddling hoffmann hogwarts holbrook
        holeinon holeshot holiday1 holidays holiness holland1 holliday holliste hollister hollister1 holloway holly123 hollydog hollywoo
        hollywood hollywood1 hologram holstein holycrap holymoly holyshit holywood homebase homebrew homedepo homefree homegrow homeland
        homeless homemade homepage homer123 homerjay homersim homerun1 homesick hometown homewood homework homeworld homicide honda123
        honda200 honda2000 honda250 honda450 hondacar hondacbr hondaciv hondacivic hondacrv hondacrx hondaman hondas2000 hondavfr honduras
        honey123 honeybea honeybear honeybee honeybun honeydew honeydog honeymoon honeypie honeypot hongfund hongkong honolulu hookedup
        hooligan hooligans hoopstar hoopster hoosier1 hoosiers hooters1 hooters6 hopalong hopeful1 hopefull hopeless hopkins1 horizon1
        hornball horndog1 horndogg hornets1 horny123 hornyboy hornydog hornyguy hornyman hornyone horseman horsemen horsepower horseshit
        horsesho hortense hosehead hospital hot2trot hotbabes hotbitch hotchick hotchkis hotdog12 hotgirls hotlanta hotpants hotpussy
        hotsauce hotsex69 hotshot1 hotspurs hotstuff hottsexx hotwater hotwheel hotwheels houghton hounddog house123 housebed housecat
        housemusic housepen housewife housewifes houston1 hovepark howareyo howareyou howitzer hoyasaxa hpmrbm41 hpsalgay hrothgar hrvatska
        hshfd4n279 htcnjhfy htubcnhfwbz hubbahub hubertus huckster hugecock hugedick hugetits hughjass hugoboss hulahoop hulkster hullcity
        humanity humanoid humberto humboldt hummer99 hummerh2 humphrey hungwell hunnybun hunt0802 hunt4red hunter01 hunter11 hunter12
        hunter123 hunter22 hunter69 hunter99 hunting1 huntress huntsman hurrican hurricane hurricanes huskerdu huskers1 huskies1 hustler1
        hutchins hvidovre hxp4life hxxrvwcy hyacinth hydepark hyderabad hydrogen hyperion hyperlit hypnodanny hysteria hzgg9umc hzze929b
        iaapptfcor iamawesome iambigal iamgreat iamhappy iamhorny iampurehaha2 iamsocool iamthema iamtheman iamtheone ibelieve ibill123
        ibilljpf ibilltes ibragimov icam4usb icandoit icecream icecube1 icehouse iceman01 iceman11 iceman22 iceman44 iceman69 icequeen
        icewater ichiban1 ichiro51 iddqd890 iddqdiddqd iddqdidkfa identity idinahui idlewild idontcar idontcare idontkno idontknow
        idontknow1 ifoptfcor iforgot1 iforgoti iforgotit ifufkbyf iglesias ignatius igor1234 igor1994 igromania ihateyou ihateyou1 iiiiiii1
        ijrjkflrf ikilz083 ikmvw103 ilikeike ilikepie ilikeporn ilikepussy ilikesex ilikeyou illinois illmatic illumina illuminati illusion
        illusions iloveamy iloveass iloveboobies ilovebri ilovecock ilovedick ilovefee ilovegirls ilovegod iloveher ilovehim ilovejen
        ilovejes ilovejesus ilovekim ilovelife iloveluc ilovelucy ilovemar iloveme1 iloveme2 ilovemom ilovemusic ilovemyfamily ilovemylife
        ilovemyself ilovepor iloveporn ilovepus ilovepussy ilovesam ilovesex ilovetit ilovetits iloveyou iloveyou! iloveyou1 iloveyou11
        iloveyou12 iloveyou123 iloveyou143 iloveyou2 iloveyou22 iluvatar iluvporn iluvtits ilya1234 ilya1992 imaccess imagination imagine1
        imaloser imissyou imjakie123 imladris immortal impalass imperato imperator imperial imperium implants importan important impossib
        impossible imtheman inandout incident incognit incognito incoming incorrect incredible incubus1 indahous indahouse independ
        independent india123 indiana1 indiana7 indianali indianer indians1 indobokep indonesi indonesia indurain industry ineedsex
        infalicall infamous infantry infected infernal inferno1 infinite infiniti infinity inflames informat information informer infotech
        infrared ingeborg ingenier ingersol ingodwetrust ingram01 inkognito innocent innuendo insanity insecure insertion insertions
        inshallah insignia insomnia inspecto inspector inspiron installdevic installsqlst installutil instinct institut instruct insuranc
        insurance integra1 integral integrit intelinside intelligence interacial interact intercom intercourse interest interests interior
        intermilan internal internat international internet internet1 interpol interrupt intersta intheass intheend intimate intranet
        intrepid intrigue introubl intruder intubate inuyasha invalidp invasion inventor invernes investor invictus invisibl invisible
        ipo54tj45uy856 ipswich1 iqzzt580 iraffert ireland1 ireland3 irina123 irina1989 irina1991 irish123 irishboy irishlad irishman
        ironbird ironchef ironcity irondesk irondoor ironfish ironfist irongoat ironhead ironhors ironhorse ironlung ironmaid ironmaiden
        ironman1 ironman2 ironmike ironpony ironroad ironside ironsink irontree is3yeusc is_a_bot isabella isabella1 isabelle isacs155
        iseedeadpeople isengard ishikawa iskandar iskander islamabad islander islanders istanbul isthebes isthebest istheman italian1
        italiano italias1 itdxtyrj itsasecret ivan1985 ivan1996 ivan2010 ivanivanov iverson1 iverson3 iwantsex iwantyou iwillwin izabella
        j0nathan j1234567 j3qq4h7h2v jabberwo jabroni1 jack1234 jack2000 jack5225 jackaroo jackass1 jackass2 jackasss jackdani jackdaniels
        jackfros jackfrost jackfrui jackhamm jackhammer jackie01 jackie69 jackiech jackmeof jackoff1 jackpot1 jackpot3 jackruss jackryan
        jackson1 jackson2 jackson4 jackson5 jackson6 jackson9 jacksons jackster jacob123 jacobsen jacobson jacqueli jacqueline jadakiss
        jaguarxj jahbless jailbait jailbird jaimatadi jake1234 jake5253 jakester jakeyboy jalal123 jalapeno jamaica1 jamaican jamboree
        james007 james123 james777 jamesbon jamesbond jamesbond007 jamesdea jameson1 jamessss jamie123 jamielee jammygirl jansport january1
        january2 japanees japanese jaredleto jarhead1 jaroslav jasmine0 jasmine1 jasmine123 jasmine2 jasmine3 jasmine5 jasmine7 jasmine9
        jason123 jasonlee jasper01 jasper12 javabean jawbreak jaws1221 jaydog472 jayhawk1 jayhawks jaysoncj jazmine1 jazz1234 jazzbass
        jazzman1 jazzmine jbond007 jeanette jeanmarc jeannett jeannine jeanpaul jedidiah jediknig jediknight jedimast jedimaster jeepster
        jeff1234 jeffbeck jefferso jefferson jeffery1 jeffhardy jeffrey1 jeffrey4 jeffwsb1 jellybea jellybean jellyfis jellyfish jellyman
        jemoeder jeniffer jenn1fer jenna123 jennife1 jennifer jennifer1 jennings jenny123 jeopardy jeremiah jeremias jericho1 jerkyboy
        jermaine jeronimo jerry123 jerrylee jerusale jerusalem jesse123 jessejames jessica0 jessica1 jessica2 jessica3 jessica6 jessica7
        jessica8 jessicam jessicas jesucrist jesus123 jesus4me jesus777 jesuschr jesuschris jesuschrist jesusfreak jesusgod jesusis1
        jesusislord jesussaves jetbalance jetblack jg3h4hfn jgthfnjh jgtxzbhr jhendrix jhnjgtl12 jhonatan jhrl0821 jigei743ks jiggaman
        jillian1 jimandanne jimbo123 jimdavis jimmy123 jimmyboy jimmyjam jimmypag jitendra jitterbu jiujitsu jizzeater jjjjjjj1 jjohnson
        jkbvgbflf jktrcfylh jktujdbx jlbyjxrf jlbyjxtcndj jledfyxbr jlettier jnrhjqcz jo9k2jw2 jobsearc jobsearch jockstra joeblack joesakic
        joesmith joeyjojo johanna1 johannes johansen john1234 johnatha johnathan johnboy1 johncena johndeer johndeere johngalt johnmish
        johnny12 johnny69 johnny99 johnnybo johnpass johnpaul johnsmith johnson1 johnson2 johnson4 johnston johnwayn joker123 joker666
        joker777 jokerman jollymon jonathan jonathan1 jonathon jones123 jonny123 jonnyboy jor23dan jordan00 jordan01 jordan10 jordan11
        jordan12 jordan123 jordan18 jordan20 jordan22 jordan23 jordan45 jordan98 jordan99 jorge123 josefina joselito joseluis joseph10
        joseph11 joseph12 josephin josephine josephphone7 joshua01 joshua04 joshua10 joshua11 joshua12 joshua123 joshua19 joshua23 joshua99
        journey1 joxury8f joystick jrcfyjxrf jrracing jtuac3my juancarlo juancarlos juanjose juanpabl juggalo1 juggerna juggernaut juicebox
        juiceman julemand julia123 julia666 juliana1 julianna julianne julie123 julie456 julieann julietta juliette jumpman23 jumpshot
        junction june1503 junebug1 jungfrau junglist junior01 junior12 junior123 junior13 junior24 junkfood junkmail junkyard jupiter1
        jupiter2 jurassic just4fun just4you justdoit justforf justforfun justice1 justice2 justin01 justin10 justin11 justin12 justin123
        justin99 justinbiebe justinbieber justine1 justlook justmine justonce juttu123 juvenile juventus juvis123 jvtuepip jxfhjdfirf
        jzf7qf2e k1234567 k123456789 k9dls02a k9vvos0a ka12rm12 kabanchik kabouter kaitlyn1 kaitlynn kakaroto kakashka kalamata kalamazo
        kalamazoo kalambur kalender kalifornia kaligula kalimera kalinina kaliningrad kalle123 kalleank kalleanka kallisti kamakazi kamakiri
        kamasutr kamasutra kamchatka kamehame kamehameha kamelia2011 kamikadze kamikaze kamikazi kangaroo kanmax1994 kappaman kappasig
        karaganda karamelka karandash kardelen kardinal kareltje karen123 karimova karishma karlmarx karlmasc karolina karolina1 karoline
        karolinka kartoshka karupspc kasandra kasparov kasperok kassandra katarina katebush katelynn katemoss katerina katerinka katharin
        katharina katherin katherine kathleen kathmandu kathrine kathryn1 katie123 katiebug katiedog katmandu katrina1 katrinka katushka
        katya123 katyusha kaufmann kawasaki kayaking kayla123 kayleigh kazakhstan kazakova kazanova kazantip kbdthgekm kbnthfnehf kbpfdtnf
        kcchiefs kcj9wx5n kcmfwesg kd189nlcih ke12fe13 keepsake keith123 kekskek1 kelloggs kelly001 kelly123 kellyann kemerovo kenaidog
        kendall1 kendrick kennedy1 kennedy12 kenneth1 kenneth2 kennwort kenny123 kenshin1 kenshiro kensingt kensington kentucky kenwood1
        kenworth kenyatta kerberos kerplunk kerrigan kerstin1 ketamine kevin123 keyboard keylargo keystone keywest1 kfcnjxrf kfnju842
        kfrhbvjpf kfvgjxrf kgvebmqy khongbiet kickass1 kickbutt kickflip kicksass kiersten kikimora kikiriki kilbosik kilkenny killabee
        killbill killemal killemall killer00 killer01 killer11 killer12 killer123 killer13 killer21 killer22 killer23 killer45 killer66
        killer666 killer69 killer77 killer99 killerbe killerbee killerman killians killswit killzone kilowatt kimber45 kimberle kimberley
        kimberly kimberly1 kindbuds kindness king1234 kingdom1 kingfish kingfisher kingkong kinglear kingpins kingrich kingring kingshit
        kingsize kingsley kingston kinkysex kinsella kinshasa kirill123 kirillov kirkland kirkwood kirsten1 kiseleva kissarmy kissmyas
        kissmyass kissthis kitty123 kittycat kittycat1 kittyhaw kittykat kittykit kjrjvjnbd kki177hk kkkkkkk1 kl?benhavn klaipeda klapaucius
        klaudia1 kleopatra klimenko klingon1 klondike klootzak klubnichka klubnika kluivert km83wa00 knickerless knickers knight12 knight99
        knights1 knitting knockers knockout knopfler knopo4ka knothead knowledg knowledge knucklehead knuckles kobayash kobebrya kobebryant
        kochamcie kochanie kodaira52 koetsu13 kohsamui kokakola kokopell kolawole kolesnik kolia123 kolovrat komarova komputer kondom25
        konfetka konnichi kononenko konoplya konovalov konovalova konstantin koolhaas kopa1994 kordell1 koroleva koshechka kosmonavt
        koteczek kottayam koufax32 kourniko kovalenko kovaleva kozanostra kpydskcw kr9z40sy krakatoa krasavchik krasavica krasnodar krasotka
        kravchenko krishna1 krishnan kristall kristen1 kristian kristie1 kristin1 kristina kristina1 kristine kristinka kristjan kristofer
        kristopher krokodil krypton1 kryptoni kryptonite ktjynsq40147 ktnj2010 ktybyuhfl kudos4ever kukaracha kukareku kukuruku kukuruza
        kukushka kuleshov kulikova kumar123 kurosaki kurosawa kurtcobain kurwamac kusanagi kvartira kwiatuszek kwiettie kyleregn kzsfj874
        l0swf9gx l58jkdjp! l8g3bkde labrador labyrinth lachesis lacrimos lacrimosa lacrosse lacrosse1 lada2110 ladybird ladybug1 ladyffesta
        ladygaga ladygirl ladylove ladyluck laetitia lafayett lafrance lagrange lagwagon lainth88 lakeland lakerfan lakers08 lakers12
        lakers24 lakers32 lakers34 lakeshow lakeside laketaho lakeview lakewood lalakers lalala123 lalaland lambchop lambert1 lamborghini
        lamborgini lambrett lampard8 lamppost lampshade lancaste lancaster lancelot landlord landmark landrove landrover landscap landscape
        langston language lankford lantern1 lanzarot lapdance lapochka laputaxx laracrof laracroft larionov larkspur larousse larry123
        larrybir larryboy laser123 laserjet lasombra lassiter lastcall lastochka lasttime lasvegas latching latenite lateralu lateralus
        latitude laughing laughter laura123 lauren12 laurence lauretta lausanne lavalamp lavender lawncare lawnmowe lawntrax lawrence
        lazareva lazyacres lbfyjxrf lbhtrnjh lbnjgtmp lbpfqyth lbvekmrf lcrastes leadfoot leapfrog learning leather1 leather9 leavemealone
        lebedeva lebowski lebron23 ledzeppe ledzeppelin leedsuni leedsutd left4dead left4dead2 lefthand leftover legalize legendar legendary
        legends1 legioner leglover legoland legolas1 leiceste leicester leighann leighton lekbyxxx lemmings lemonade len2ski1 lena1234
        lena1982 lena2010 lena2011 leningrad lenochka leonard1 leonardo leonardo1 leonidas leopard1 leopards leopoldo lera2000 lerochka
        lesbian1 lesbians lespaul1 letitrid letmein0 letmein1 letmein123 letmein2 letmein22 letmein3 letmein4 letmein5 letmein6 letmein7
        letmein9 letmeinn letmeinnow letmeino letmeout letmesee leto2010 letsdoit letsfuck letsplay letterma leveller levelone leverage
        leviatha leviathan lewie622 lewiston lexingky lexingto lexington lexmark1 lexus300 lfiekmrf lfitymrf lfplhfgthvf lg2wmgvr
        lhbjkjubz2957704 liberate liberdade libertad libertas libertin liberty1 liberty2 liberty7 liberty9 library1 lichking lickme69
        lickpuss lickpussy licorice liebherr liebling lifeboat lifeguar lifeguard lifehack lifeisgood lifeless lifeline lifestyl lifestyle
        lifesuck lifesucks lifetime lightbul lightbulb lighters lightfoo lighthou lighthouse lighting lightman lightnin lightning lightsab
        lightsaber lightspe likemike likesdick likethis likewhoa lilcrowe lildevil lillian1 lilwayne limabean limaperu limbaugh limeligh
        limerick limewire limonade limpbizk limpbizkit limpdick lincoln1 lincoln2 lincoln7 linda123 lindalou lindeman lindros8 lindsay1
        lindsay2 lindsey1 lineage123 lineage2 lineback lingerie linkinpark lionhart lionhear lionheart lionking lionsden lipinski lipstick
        lisa1234 lisabeth lisalove lisamari lisichka listopad litebeer litespee lithium1 littlebear littlebi littlebit littlebitch littlebo
        littledo littlefo littlefuck littlegi littlegirl littleguy littlejo littlema littleman littleminge littleon littleone littleslut
        littleton littlewhore liudmila liveevil livefree livelife liverp00l liverpoo liverpool liverpool1 liverpoolfc liverune livestrong
        livewire liz8tysiu liza2000 liza2009 lizabeth lizardki lizaveta lizottes lizzy123 ljb4dt7n ljxtymrf lkjhgfdsaz lkjhgfdsazx llabesab
        llabtoof llebpmac lllllll1 lllooottt lobster1 lobster2 lobsters location lochness lockdown lockedup lockerroom lockhart lockheed
        locksley locksmit lockwood locoman0 locutus1 logan123 logcabin logging7 loginova logistic logistics logitech logitech1 loglatin
        lohotron loislane lokomoti lokomotiv lol123123 lol12345 lol123456 lolkin09 lollipop lollipop1 lollol12 lollol123 lollypop lololyo123
        lombardi lombardo lommerse lomonosov london01 london11 london12 london123 london20 london22 london99 lonesome lonestar lonewolf
        longball longbeac longbeach longboar longboard longdick longdong longfell longford longhair longhaul longhorn longhorns longjohn
        longjump longlegs longlife longshot longtail longtime longtong longview longwood lonsdale lookatme looking1 looking4 loophole
        loosee123 lopas123 loploprock lopotok01 loranthos lordsoth loredana lorenzo1 lorraine losangel losangeles losbravo losenord loser123
        loserkid losfix16 lost4815162342 lostboys lostlove lostsoul lothlorien lotrfotr34 lotus123 louis123 louise01 louisian louisvil
        love1234 love12345 love2000 love2010 love2011 love4eve love4ever love4you love5683 love777321777 loveable lovebaby lovebird loveboat
        lovebugs lovecock lovecraf lovecraft lovedick lovefeet loveforever lovegame lovegirl lovegirls lovegood lovehate lovehina lovehurt
        lovehurts loveislife lovejone lovelace lovelady loveland loveless lovelife loveline loveme12 loveme89 loveporn lovepuss lovepussy
        lover123 loverboy lovergir lovergirl loverman lovesazz lovesexy lovesick lovesong lovespor lovesporn lovestory lovesuck lovesyou
        lovethem lovetits loveyou1 loveyou2 lovezp1314 lowrider lp2568cskt lsdlsd12 lsia9dnb9y lsutiger ltcnhjth lthgfhjkm ltybc123 ltybcjdf
        luansantana lubimaya lucas123 lucciano lucidity lucifer1 lucifer666 lucille1 lucky123 lucky777 luckyboy luckycat luckycharm luckyday
        luckydog luckyman luckyone luckystr lucozade lucretia lucydog1 ludacris ludmilla lufthans luisfigo lukas123 lukester lumberjack
        lunchbox luojianhua luscious lutheran lutscher luv2epus luv2fuck luvbekki luvpussy lvbnhbq1 lvbnhbtdf lvjdp383 lynnette lysander
        lytdybrbdfvgbhf lytghjgtnhjdcr lyudmila lzbs2twz lzhan16889 lzlzdfcz m0nkeyb0 m0ntlure m1234567 m123456789 m1garand m1m2m3m4
        m6cjy69u35 m7hsqstm m_roesel ma123123123 maasikas macanudo macarena macaroni macavity macdaddy macdonal macedonia macgyver machine1
        machines machoman macintos macintosh mackdadd mackdaddy mackenzi mackenzie maclaren macross1 macross7 macsan26 madagascar madagaskar
        madala11 madalena madalina madarchod maddison maddmaxx maddog01 maddog69 madelein madeleine madeline madhatte madhatter madhouse
        madinina madison0 madison1 madison2 madison3 madison4 madison9 madmax11 madness1 madonna1 madrigal madruga2 maelstro maestro1
        magazine magdalen magdalena magellan maggie01 maggie10 maggie11 maggie12 maggie123 maggie99 maggiema magic123 magical1 magical123
        magichat magician magicman magicone magister magnavox magnetic magnolia magpies1 magritte mahalkit mahalkita mahendra mahogany
        mahoomar maiden666 mailcreated5240 mailman1 mainland mainstre maintain maintenance maisuradze maitland maiyeuem majestic majinbuu
        majortom makarenko makarova makaveli makayla1 makeitso makeksa11 makelove makemone makemoney makenzie maks1995 maks2010 maks5843
        maksimka maksimov maksimus maksimuss malamute malaysia malcolm1 malcolmx maldives maldonad maldonado malinois malishka mallard1
        mallards mallorca mallrats malmstee malyshka mama1234 mama12345 mama1960 mama1961 mama1963 mama1964 mama1965 mama1970 mama2010
        mamabear mamacita mamaliga mamapapa mamasboy mamasita mamatata mamma123 mammamia mammoth1 mamochka manageme management manager1
        manchest mancheste manchester manchester1 manchild mancity1 mandalay mandarin mandarinka mandingo mandolin mandragora mandrake
        mandreki mandy123 mango123 mangust6403 manhatta manhattan manifest manifold manitoba mankind1 mannheim manning1 manning18 manolito
        manpower mansfiel mansfield mansikka manstein mantaray manunite manunited manwhore manzey20 mapet123456 maplelea mapleleafs
        maprchem56458 maradona marajade marakesh maranath maranell maranello marathon marauder marbella marcelin marcelit marcella marcelle
        marcello marchenko marciano marcius2 marco123 marcopol marcopolo marcs1997 marcus12 marcuseckos mardigra margaret margaret1 margarit
        margarita margherita margosha maria123 mariachi mariajos mariamar mariana1 marianna marianne maricela maricopa marie123 mariella
        marielle marietta mariette marigold marihuana marijane marijuan marijuana marilena marillio marillion marilyn1 marina123 marina15
        marinaro marine12 marine21 mariner1 mariners marines1 marino13 marinochka mario123 mariposa marisela marishka marissa1 maritime
        mariupol marjorie mark1234 mark3434 marketin marketing markhegarty marksman marlboro marlboro1 marlene1 marley12 marlins1 marmalad
        marmalade marmaris marmelad marquise marriage married1 marriott marryher marsbars marseill marseille marshal1 marshall marshall1
        martesana martin01 martin11 martin12 martin19 martin21 martina1 martinet martinez martini1 martusia martymar maryann1 maryanne
        marybeth maryjane marykate maryland marzipan masahiro masamune mascitti maserati mash4077 masha123 masha1998 masha2010 masha2011
        mashamasha mashenka mashoutq masiania mason123 massacre massimiliano massive1 master00 master01 master10 master11 master12 master123
        master13 master21 master22 master23 master32 master55 master66 master69 master77 master99 masterb8 masterba masterbaiting masterbate
        masterbating masterca mastercard masterch masterchief masterkey masterlo masterma mastermi mastermind masterof masters1 masturba
        masturbate masturbation masyanya matahari matchbox matchbox20 matematica matematika material mathematics mathilda mathilde matilda1
        matrix01 matrix12 matrix123 matrix13 matrix19 matrix69 matrix99 matrixxx matt1234 matthew0 matthew1 matthew10 matthew2 matthew3
        matthew4 matthew5 matthew6 matthew7 matthew8 matthew9 matthewd matthewj matthews matthias matthieu mattingl mattress mattylad10
        matulino matveeva maulwurf maureen1 maurice1 mauricio mauritius maurizio maurolarastefy maveric1 maverick maverick1 mavericks
        max12345 max33484 maxim1935 maximili maximilian maximill maximize maximus1 maximus2 maxmotives maxpayne maxpower maxthedo maxwell1
        maxwell2 maxwell7 mayberry mayfield mayflowe mayflower maynard1 mazafaka mazahaka mazatlan mazda123 mazda323 mazda626 mazdamx3
        mazdamx5 mazdarx7 mazdarx8 mazinger mbkugegs mccallum mccarthy mccool24 mcdaniel mcdonald mcdonalds mcdowell mcfadden mcfarlan
        mcfarland mcgregor mcintosh mcintyre mckenzie mckinley mckinney mcknight mclaren1 mclarenf mclarenf1 mcmaster mcmillan mdmaiwa3
        mdmgatew mdmgl004 mdmnis1u mdmnttd2 mdmsii64 meandyou meatball meathead meatloaf mech6666 mechanic mechanical medellin medical1
        medicina medicine medieval meditate meditation medvedev medvedeva megabass megabyte megadeth megafon77 megaman1 megamanx megan123
        megapass megapolis megastar megatron meister1 melanie1 melanie2 melbourn melbourne melchior melinda1 melissa1 melissa2 melissa3
        melissa6 melissa7 melissas mellissa melnikova meltdown melville melvin69 membrane memorial memories memphis1 memyself meowmeow
        mephisto mercator mercede1 mercedes mercedes1 mercedez mercenar merchant mercurio mercury1 mercury2 mercury7 mercutio meredith
        merengue meridian merlin01 merlin10 merlin11 merlin12 merlin21 merlin69 merlin99 mermaid1 mermaids merrill1 mersedes merzario
        mesohorny mesquite messages messenge messenger messiah1 metadata metal123 metal666 metalcore metalgea metalgear metalhea metalhead
        metalica metallic metallica metallica1 metalman metaphor metatron methanol methodma methodman metro2033 metropol metropolis mets1986
        mevefalkcakk mexicali mexican1 mexicano miami123 miami305 miatamx5 michael0 michael1 michael12 michael123 michael13 michael2
        michael3 michael4 michael5 michael6 michael7 michael8 michael9 michaela michaelb michaelc michaeld michaele michaelj michaeljackson
        michaell michaelm michaelp michaels michaelt michele1 michelin michell1 michelle michelle1 michelob michigan michigan1 mick7278
        mickey01 mickey11 mickey12 mickey22 mickey69 mickeymo mickeymouse microlab microlab1 microphone microsof microsoft microwav middleto
        midiland midnight midnight1 mightymo miguelit mike1234 mike12345 mike1969 mike2000 mikehunt mikejone mikey123 milagros milamber
        milashka milehigh milenium milfhunter milhouse military milkbone milkmaid milkman1 milkshak milkshake milkyway millenia milleniu
        millenium millenni millennium miller01 miller12 miller31 millerli millerlite millerti millertime milligan million1 milliona
        millionaire millioner millions millwall milwauke milwaukee mimi92139 minarets mindgame mindless mindspri mine2306 minecraft
        minecraft123 mineonly minhasenha miniclip minicoop minicooper minidisc minimax1 minimoni miniskir minister ministry minnesot
        minnesota minnesota_hp minnette minntwin minority minotaur minotavr minouche minstrel miracle1 miracles miranda1 mireille mironenko
        mironova miroslav miroslava miruvor79 mischief misfit99 misfits1 misha1111 misha123 mishanya mishmash mishutka misiaczek misiaczek1
        mission1 missions mississi mississippi misskitt misskitty missoula missouri missy123 missydog misterio misterme mistral1 mistress
        misty123 mistycat mistydog mitchell mithrand mitsubis mitsubishi mittens1 mixmaster miyamoto miyvarxar mizredhe mjbnbna1 mjollnir
        mko09ijn mmmmmmm1 mnbvcxz1 mnemonic mobbdeep mobility mobydick modeling modelsne moderato moderator modified mohammad mohammed
        mohinder moisture mojojojo molecule molly123 mollycat mollydog mollymoo mom4u4mm momanddad momentum mommy123 momoney1
        momsanaladventure monalisa monaliza monamour monarchs monday12 money100 money111 money123 money1234 money4me money777 moneybag
        moneybags moneymak moneymaker moneyman moneymon moneysho mongolia mongoose monica01 monica12 monica69 monique1 monitor1 monitor2
        monkey00 monkey01 monkey10 monkey11 monkey12 monkey123 monkey13 monkey14 monkey19 monkey20 monkey21 monkey22 monkey23 monkey24
        monkey42 monkey66 monkey69 monkey77 monkey99 monkeybo monkeyboy monkeybu monkeybutt monkeyma monkeyman monkeys1 monkfish monmouth
        monolith mononoke monopoli monopoly monorail monoxide monrovia monster1 monster123 monster2 monster7 monster9 monsters montagna
        montagne montague montana1 montana2 montblanc montecar montecarlo monteiro montella montenegro monterey montero1 monterre montgom240
        montgome montgomery montreal montreux montrose monty123 montydog monument mookie12 moom4242 moom4261 moon1234 moonbeam moondog1
        moonglow moonligh moonlight moonlite moonrake moonshin moonshine moonshot moonstafa moonstar moonunit moonwalk moose123 moosehea
        moosejaw mooseman mopar440 moparman mor_pass morales1 morebeer morehead moreland moremone moremoney morgaine morgan01 morgan12
        morganstanley moriarty morkovka morning1 mornings morozova morpheus morphine morphius morrigan morrisey morrison morrisse morrissey
        morrowin morrowind mortalkombat mortgage morticia mortimer moschino mosias98 mosquito mossberg mossyoak mostwanted motdepas
        motdepass motdepasse motera15 mother12 motherfu motherfuck motherfucker motherlode motivate motocros motocross motoguzz motorbik
        motorbike motorcyc motorcycle motorhea motorhead motorman motorola motorolla motorrad mounta1n mountai1 mountain mountains mourning
        mouse123 mouseman mousepad movement moviebuf movieman movies23 mowerman mpetroff mrblonde mrbrownx mrbrownxx mrbungle msconfig
        msoracle32re msorcloledbr msouthwa mtwapa1a muaythai muchacha muchacho mudhoney mudshark mudslide mudvayne muenchen muffdive
        muffdiver muffin11 muffin12 muffinman muhammad muhammed muirhead mulberry muledeer mulligan multimed multimedia multipas multipass
        multiple multiplelo multiplelog multisca multiscan multisyn multisync munchies munchkin munson15 murakami murasaki murciela
        murcielag murcielago murderer murmansk murphy01 murphy11 murphydo murzilka muselman mushroom mushrooms music101 music123 musical1
        musicbox musician musiclover musicman mustaine mustang0 mustang1 mustang2 mustang3 mustang4 mustang5 mustang6 mustang66 mustang67
        mustang69 mustang7 mustang8 mustang9 mustangg mustanggt mustangs mustard1 mustikka mutt22pu mvtnr765 mwq6qlzo mxaigtg5 mxyzptlk
        my2girls my3girls myfamily myfriend myjdxtcxks mymoney1 mymother mynameis mynewbots mynewpas mypasswo mypassword mysecret myspace1
        myspace2 mysterio mystery1 mystical mystikal mystique myxworld myxworld4 n1a2t3a4 n7td4bjl n8skfswa nacional nadezhda nagasaki
        nagshead nakamura nallepuh nameless namrepus nancy123 nanotech nantucke nantucket napolean napoleon napster1 narayana narendra
        narkoman naruto010 naruto12 naruto123 naruto99 nascar03 nascar08 nascar20 nascar24 nascar88 nascar99 nashvill nashville nastenka
        nastya123 nastya1995 nastya1996 nastya1997 nastya2010 nastyboy nastyman nata1977 nata1980 natalia1 natalie1 natalie2 nataliya
        natas666 natascha natasha1 natasha123 natasha2 natasha5 natashka natedawg natedogg nathalia nathalie nathan01 nathan12 nathanae
        nathanie nathaniel national natural1 naturals naturist naughty1 naughty2 naughtya naughtyboy naumenko nausicaa nautica1 nautical
        nautilus nautique navigate navigation navigato navigator navillus navisite navyblue navyseal nazarenko nazareth nazarova nbuhtyjr
        ncc-1701 ncc1701a ncc1701d ncc1701e ncc74656 nccpl25282 ndshnx4s ne_e_pod_chehyl nebraska necklace necroman necromancer necron99
        necronomicon nectarin nederland nedkelly need4speed needajob needforspeed needsome nefertit nefertiti negative neighbor nekromant
        nelson11 nemesis1 nemesis2 nemezida nemiroff nemrac58 nemvxyheqdd5oqxyxyzi neophyte nepbr2009 nepenthe nephilim neptune1 nesterenko
        nesterov nesterova netnovel netnwlnk netscape netvideo netware1 network1 network2 networkingpe networks netzwerk neuroman neurosis
        neuspeed neutrino neveraga neveragain neverdie nevergiveup neverland neverman nevermin nevermind nevermor nevermore neverwinter
        newberry newblood newburgh newcastl newcastle newcomer newdelhi newhaven newhouse newjerse newjersey newlife1 newlife2 newmedia
        newmexic newmexico newmoney neworder neworlea neworleans newpass1 newpass2 newpass3 newpass6 newpassw newpassword newpoint newport1
        newport2 newports newproject2004 newshoes newspape newspaper newstart newstyle newworld newyork0 newyork1 newyork2 newyorke newzeala
        newzealand nextdoor nezabudka nfgbpltwq nfhfctyrj nfkbcvfy nfnmzyrf nfvthkfy nhatrang nhbujyjvtnhbz nhecsyfujkjdt nhfdvfnjkju123
        nhfkbdfkb nhfrnjhbcn nhfycajhvths nicaragu nicebutt nicegirl nicelegs nicerack nicetits nichelle nicholas nicholas1 nicholas9
        nick1234 nick1234-rem936 nicklaus nickname nickolas nicksfun nickster nicolas1 nicolas2 nicole01 nicole11 nicole12 nicole123
        nicole18 nicole23 nicole69 nicolett nicolette nicotine nietzsch nietzsche nigger123 nightcra nightcrawler nightfal nightfall
        nighthaw nighthawk nightime nightman nightmar nightmare nightmare1 nightowl nightshade nightwin nightwing nightwis nightwish
        nightwolf nihao123 nike1234 nikegolf nikita123 nikita1998 nikita2000 nikita95 nikita99 nikitina nikki123 nikolaev nikolaeva
        nikolaevna nikolaus nikolay9 nilknarf nimajneb nineball nineinch nineteen ninja123 ninjaman ninjutsu nintendo nintendo1 nintendo64
        nipples1 nirvana1 nirvana9 nissan350z nitehawk nitemare nitrogen nizmo400r njdevils nji90okm njkmznnb nnmaster nnnnnnn1 noaccess
        nobunaga nochance nocturne nohack04 noisette nokia123 nokia1600 nokia2700 nokia3110 nokia3230 nokia3250 nokia3310 nokia5130
        nokia5200 nokia5228 nokia5230 nokia5300 nokia5310 nokia5320 nokia5530 nokia5610 nokia5700 nokia5800 nokia6120 nokia6131 nokia6230
        nokia6230i nokia6233 nokia6300 nokia6303 nokia6500 nokia6630 nokia7070 nokia7610 nokia8800 nokiadermo nokiae51 nokian70 nokian73
        nokian82 nokian95 nolimit5 nolimit8 nolimit9 nolimits noname123 noncapa0 nondriversig nonmembe nonrev67 nonsense noodles1
        noonehackme nopasaran nopasswo nopassword norcross normandy norseman norsemen northern northpole northside northsta northstar
        northwes norwegen norwich1 nosaints nosferat nosferatu nosnibor nosredna nostradamus nostromo not4u2no notagain note1234 notebook
        nothanks nothing0 nothing1 notoriou notorious notredam notredame nottingh nottingham nottoday notyours nounours nouvelle novartis
        novastar november november1 novembre novgorod novifarm novikova novosibirsk noway123 nowayman nowayout nowwowtg nsnabh76 nthk12345
        nthvbyfnjh nthvbyfnjh2 ntktdbpjh ntktdbpjh1994 ntktgepbr nuaddn9561 nudegirl nudelamb nuggets1 number10 number20 numberon numbnuts
        nursultan nutshell nuttertools nwo4life nygiants nyknicks nyranger nyyankee nyyankees nzceg251 o1l2e3g4 o4izdmxu oakland1 oakridge
        oakville oblivion observer obsessed obsessio obsession obsidian obsolete obvious1 oc247ngucz oceans11 octavian octavius october1
        october2 october3 october31 october6 october7 october8 octopuss oddworld odgez8j3 odinthor odonnell odt4p6sv8 odysseus ofclr278
        ofcourse official offshore offsprin offspring ohiostat ohiostate ojp123456 okk34125 oklahoma oktober7 olcrackmaster oldfield
        oldpussy oldschoo oldschool oldskool oldsmobi oldsmobile oldspice oldtimer oleander oleaut32 oleg1985 oleg1994 oleg1995 oleg1996
        olegnaruto olemiss1 olga1234 olga1976 olga1979 olga1991 oliphant oliveira oliveoil oliver01 oliver12 oliver123 oliver99 olivetti
        olivier1 olliedog ololo123 olympics omega123 omegaman omegared omgkremidia omgwtfbbq omnislash omsairam omytvc15 one23456 onelove1
        onepiece onetwo12 onetwo34 onetwothree onimusha onlylove onlyone1 onlyone4 ontheoutside ontheroc ontherocks ooicu812 oooooo99
        ooooooo1 opelagila opelastra open1234 opendoor opensesa opensesame openwide operatio operation operator opopop11 optimist optimus1
        optional optiplex optiques optiquest oqglh565 orange01 orange10 orange11 orange12 orange22 orange44 orange77 orange88 orange99
        oranges1 orenburg organist orgasmic oriental oriflame original orioles1 orion123 orlando1 orochimaru orthodox osbourne oscar123
        oscardog oskar123 othello1 otherside ou812345 ou8124me ouachita ousooner outbound outbreak outdoors outhouse outkast1 outrider
        outside1 outsider ovaltine overcome overdose overdriv overflow overkill overland overload overlook overlord overmars override
        overseas overtime overture ow8jtcs8t ownage123 oxymoron ozlq6qwm ozzmosis p0015123 p030710p$e4o p0o9i8u7 p0o9i8u7y6 p1234567
        p1nkb178 p2ssw0rd p3nnywiz p455w0rd p4ssw0rd p4ssword p@ssw0rd pa$$w0rd pa55w0rd pa55word pablo123 pachanga pacific1 pacifica
        pacifico packages packard1 packers1 packers2 packers4 paganini pagedown painkill painkiller painless paintbal paintball paintball1
        painter1 painters painting pakalolo pakistan pakistan1 pakistani palace22 palacios paladin1 paladine palamino palantir palenque
        palermo1 palestine palladin palladio palladium pallmall palmeira palmeiras palmetto palmtree paloalto palomino palpatin pamplona
        panasoni panasonic panasonik pancake1 pancakes panchito pancreas panda123 pandabear pandemonium pandora1 pandora2 pandoras pangolin
        panorama pantera1 pantera2 pantera6 panther1 panther2 panther5 panther6 panther7 panther8 panther9 panthera panthers panthers1
        panties1 panties2 pantyhos pantyhose pantyman papabear papageno papamama paparoach papasmur papasmurf paper123 paperboy papercli
        paperclip papercut paperino paperman papichul papichulo papillon pappnase parabola parachut parachute paradigm paradise paradiso
        paradoks paradoxx paragon1 paraguay paraklast1974 parallax parallel paramedi paramedic paramore paramoun paramount paranoia paranoid
        paranoya parasite parcells parfilev paris123 parisien parker01 parker12 parkhead parkland parkside parkview parlament parliame
        parliament parol123 parol12345 parol999 parola12 parolamea parolparol parrothe parsifal partagas particle partizan partner1 partners
        partridg partyboy partyman partytim pasadena pasha123 pasquale pass1234 pass1821 pass1wor pass1word pass2012 passat99 passcode
        passfind passion1 passions passking passmast passmaster passover passpage passport passssap passsword passthie passthief passtrader
        passw0rd passw0rd1 passward passwerd passwor1 password password! password0 password00 password01 password1 password10 password11
        password12 password123 password1234 password13 password2 password21 password22 password23 password3 password4 password5 password6
        password69 password7 password8 password88 password9 password99 passwordassword passwordd passwords passwordstandard passwort
        passwort1 passwurd paswoord pasword1 patagoni patatina patch123 patches1 patches2 paterson pathetic pathfind pathfinder patience
        patricia patricia1 patricio patrick0 patrick1 patrick2 patrick3 patrick4 patrick5 patrick7 patrick8 patrick9 patricks patriot1
        patriots patriots1 patrizia patrycja patterso paul1234 paula123 paulaner paulchen paulette paulina1 pauline1 paulinka pavel123
        pavement pavilion pavlenko pavlusha paycheck paycheck1 payton34 pazzword pchealth pdtpljxrf peace123 peaceful peacemaker peaceout
        peaches1 peaches2 peaches3 peachfuz peacock1 peanut11 peanut12 peanutbu peanutbutter peanuts1 pearljam peartree pebbles1 pebbles2
        pederast pedersen pedigree pedro123 peekab00 peekaboo peepshow peerless peewee51 pegasus1 peggysue pelican1 pembroke penchair
        pendrago pendragon pendulum penelopa penelope penetrating penetration penfloor penguin1 penguin6 penguin8 penguins penhorse penis123
        penmouse pennstat pennstate penny123 pennydog pennywis pennywise pensacol pensacola pentable pentagon pentagram penthous penthouse
        pentium1 pentium2 pentium3 pentium4 penwindo pepper01 pepper11 pepper12 pepper123 pepper14 pepper76 peppermint pepperon pepperoni
        pepsi123 pepsicol pepsicola pepsiman pepsimax pepsione percival percussi percussion peregrin peresvet perfect1 perfection perfecto
        performa performance performing pericles permanent pernilla pernille persepho pershing persona1 personal pertinant pervasive
        pervert1 perverts pescator peter123 peterbil peterbilt peterburg peterman peternor peternorth peterose peterpan petersen peterson
        petrovich petrovna petrushka petticoa peugeot406 peyton18 pfchfyrf pfchfytw pfeiffer pfhfnecnhf pfqwtd27121988 pfqxjyjr pfqxtyjr
        pgszt6md phaedrus phantasm phantasy phantom0 phantom1 phantom2 phantom3 phantom4 phantom7 phantoms pharmacy phatfarm pheasant
        phenmarr pheonix1 phezc419hv phialpha philadel philadelphia philbert philemon philippe philippines philips1 phillesh phillies
        phillip1 phillips philmont philosophy phish123 phish420 phishing phoenix0 phoenix1 phoenix2 phoenix3 phoenix5 phoenix6 phoenix7
        phoenix8 phoenix9 phoneman photogra photoman photosho photoshop photowiz phydeaux physical pi314159 pianoman piazza31 pibzk431
        picasso1 piccolo1 pickles1 pickwick pictuers picture1 pictures piedmont piehonkii piercing pigtails pikachu1 pilchard piledriv
        pilgrims piligrim pilipenko pilot123 pilsbury pimpdadd pimpdaddy pimpdady pimpdogg pimphard pimpin69 pimpjuic pimpjuice pimpshit
        pimpster pinarell pineappl pineapple pineapple1 pinecone pinetree pinewood pingeye2 pinggolf pingpong pinguino pingzing pinkerto
        pinkfloy pinkfloyd pinklady pinkpant pinkpuss pinkpussy pinky123 pinnacle pinocchio pinoyako pioneer1 pioneers pipeline pipeutvj
        pippen33 piramida piramide pirates1 pirrello pissword pistache pistons1 pitbull1 pitbulls pitcher1 pitchers pitmans4 pittbull
        pittsbur pittsburgh pizza123 pizzaboy pizzahut pizzaman pizzapie pjcgujrat pjflkork pjkmabhz plankton planning planters plastic1
        plasticp plastics plat1num platform platinum platinum1 platonic platypus play2win playball playboy1 playboy2 playboy3 playboy6
        playboys player21 player69 playgirl playgolf playgrou playground playhard playhouse playmate playoffs playstat playstatio
        playstation playstation2 playstation3 playtime pleasant please12 pleaseme pleasure plethora plhfdcndeq plhy6hql pljhjdmt plokijuh
        plumber1 plumbing plutoniu plymouth pmdmscts pmdmsctsk pmtgjnbl podiatry podstava podvinsev pogosyan pointblank pointbreak pointers
        pointman poiu0987 poiu1234 poiulkjh poiuytrewq pokemon00 pokemon1 pokemon12 pokemon123 pokemon2 pokemons poker123 pokerface pokerman
        pokesmot pol123456 polarbea polarbear polaris1 polaroid police22 policema policeman politics politika polkadot polkaudi polkaudio
        polly123 polniypizdec0211 polniypizdec1102 polniypizdec110211 polo1234 polopolo09 polyakova pon32029 pondscum pontiac1 ponytail
        poochie1 poohbear poohbear1 pookie11 pookster pool6123 poolside poontang poopdick poopface poophead poopster poopypan popcorn1
        popcorn2 popochka poppy123 poppydog popsicle poptart1 poptarts porkchop porkypig porn1234 porn4life pornclub pornking pornlove
        pornlover porno123 pornogra pornografia pornographic pornography pornoman pornosta pornostar pornpass pornsite pornstar porol777
        porosenok porpoise porridge porsche1 porsche2 porsche8 porsche9 porsche911 porsches porshe911 portable portillo portishead portland
        portsmou portsmouth portugal portvale poseidon positano position positive positivo positron possible postbank postcard postov10
        postov1000 potapova potatoes potsmoke poulette pounding pourquoi power123 power666 powerade powerboo powerful powerhou powermac
        powerman powerof3 powerpla powerstr ppppppp1 ppspankp pqnr67w5 pr1ncess practice prashant pratibha preacher preciosa precious
        precious1 precisio predator predator1 predators pregnant prelude1 prelude9 preludes premier1 premiere premiumcash prentice presario
        prescott presence preserve presiden president presidente pressman pressure prestige prestigio preston1 pretende pretender pretoria
        prettybo prettyboy prettygirl pridurok primaver primavera primetim primetime primetime21 primrose prince11 prince12 prince55
        princesa princesit princess princess1 princess2 princessa princesse princeto princeton principa principe pringles printer1 printers
        printing priority priscila priscill priscilla prisonbreak prisoner private1 private5 privates privet123 privetik priyanka probably
        problemas problems process1 processor prodigy1 producer producti production products profesor professional professo professor
        profiles proghouse programm programmer progress progressive project1 projects prokuror prolinea promethe prometheus promises
        promopas property prophecy prophet1 prospect prosperity prospero prostock prostotak prostreet protected protecti protection protocol
        protools prototyp prototype protozoa provence proverbs providen provider providia providian provista prowler1 prudence prufrock
        ps253535 psw333333 psychnau psychnaut1 psycho72 psycho78 psycholo psylocke ptfe3xxp ptybnxtvgbjy puckhead pudding1 puertori
        puertorico puffdadd pufunga7782 puissant pullings pumpitup pumpkin1 pumpkin2 pumpkins punisher punkrawk punkrock punksnotdead
        punter12 puppy123 puppydog puravida purchase pureevil puregold purgator purple01 purple11 purple12 purple13 purple69 purple77
        pushistik pussy101 pussy123 pussy420 pussy4me pussybitch pussyboy pussycat pussyeat pussyeater pussyfuck pussygal pussykat pussylic
        pussylick pussylicker pussylip pussylips pussylov pussylover pussyman putamadre putangina pxx3eftp pyfrjvcndj pyramid1 pyramid7
        pyramide pyramids q123321q q1234567 q12345678 q123456789 q1234567890 q123456q q12we34r q1q2q3q4 q1q2q3q4q5 q1w2e3r4 q1w2e3r4t
        q1w2e3r4t5 q1w2e3r4t5y6 q1w2e3r4t5y6u7 q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 q2w3e4r5 q4n2jdeh q8zo8wzq qawsed123 qawsedrf
        qawsedrftg qawsedrftgyh qaz12345 qaz123456 qaz123qaz qaz123wsx qaz123wsx456 qaz12wsx qaz1wsx2 qaz26101778 qazedctgb qazqaz123
        qazsedcft qazwsx11 qazwsx12 qazwsx123 qazwsx1234 qazwsx12345 qazwsx123456 qazwsxed qazwsxedc qazwsxedc1 qazwsxedc12 qazwsxedc123
        qazwsxedcrfv qazwsxedcrfvtgb qazxcdew qazxcdews qazxcvbn qazxcvbnm qazxsw12 qazxsw123 qazxsw21 qazxsw22 qazxswed qazxswedc
        qazxswedc123 qazxswedcvfr qcmfd454 qcxdw8ry qmezrxg4 qmpq39zr qpful542 qpwoeiruty qq123123 qq123321 qq123456 qq123456789 qqqq1111
        qqqqqqq1 qqqqwwww qqqwwweee qqwweerr qsefthuko quackers quagmire qualcomm quality1 quant4307 quant4307s quantum1 quaresma quarters
        quasimod quattro6 queenas8151 queenbee queequeg question quicksan quicksand quicksil quicksilver quietkey quietman quiksilv
        quiksilver quincunx quintain quintana quixotic quovadis qw123456 qw12er34 qwaszx11 qwaszx12 qwaszx123 qwaszxedc qwaszxerdfcv
        qwaszxqw qwe123321 qwe123456 qwe1234567 qwe123asd qwe123qwe qwe123rty qweasd12 qweasd123 qweasdqwe qweasdzx qweasdzxc qweasdzxc1
        qweasdzxc12 qweasdzxc123 qwedcxzas qwedsazxc qweqwe12 qweqwe123 qwer1209 qwer1234 qwer12345 qwer4321 qwerasdf qwerasdfzxcv qwerfdsa
        qwert123 qwert1234 qwert12345 qwert54321 qwertasd qwertasdfg qwertasdfgzxcvb qwertgfdsa qwerttrewq qwerty00 qwerty01 qwerty02
        qwerty09 qwerty10 qwerty100 qwerty11 qwerty111 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty123456789 qwerty13
        qwerty2010 qwerty21 qwerty22 qwerty23 qwerty32 qwerty321 qwerty33 qwerty56 qwerty66 qwerty666 qwerty69 qwerty77 qwerty777 qwerty78
        qwerty789 qwerty88 qwerty89 qwerty99 qwerty999 qwertyas qwertyasd qwertyasdfgh qwertyu1 qwertyu123 qwertyu8 qwertyui qwertyui1
        qwertyuio qwertyuiop qwertyuiop1 qwertyuiop10 qwertyuiop12 qwertyuiop123 qwertyuiop12345 qwertyytrewq qwertzui qwertzuiop qwerzxcv
        qwest123 qwqw1212 qzwxecrv r1234567 r2d2c3p0 r2d2c3po r3ady41t r3vi3wpass r4e3w2q1 rabbit12 rabbit66 rabbit69 racecar02 racecar1
        racecars rachael1 rachel01 rachel69 rachelle radagast radar123 radiance radiatio radiator radical1 radio123 radiohea radiohead
        radioman raffaele raffaello rafferty ragnarok rahul123 raider12 raiders0 raiders1 raiders2 railroad rainbow1 rainbow2 rainbow6
        rainbow7 rainbows raincoat raindrop rainfall rainforest rainmake rainmaker rainman1 raintree rainyday raistlin rajendra rajkumar
        rakkasan raleigh1 ralliart rambler1 rambo123 ramcharg rammstei rammstein rammstein1 ramstein ramtough ranchero randolph random123
        randyman ranger01 ranger02 ranger10 ranger11 ranger12 ranger13 ranger21 ranger66 ranger69 ranger75 ranger82 ranger98 ranger99
        rangerover rangers1 rangers2 rangers9 rangersf raptor01 raptor22 raptors1 rapunzel rasberry rasengan rashley198 raspberr raspberry
        rasputin rassilon rasta220 rastafar rastafari rastaman rathbone rational rattlers rattlesn rattlesnake rattolo58 rattrace raven123
        raven666 ravenlof rawiswar raymond1 razdvatri razorbac rb26dett rdfhnbhf rdgpl3ds rdq5ww4x reaction reading1 ready2go readynow
        realdeal realgood realhard reality5 realmadr realmadri realmadrid realtime reanimator rebbecca rebbyt34 rebecca1 rebecca2 rebecca9
        rebellio reckless recorder recovery red12345 redalert redapple redbarch redbaron redbeard redbird1 redbirds redbull1 redcar27
        redcloud redcross reddevil reddevils reddrago reddragon reddwarf redeemed redeemer redemption redfish1 redgreen redhat50 redhawks
        redhead1 redheads redhorse redhouse redknapp redlabel redlands redlight redlover redneck1 rednecks redpoint redrider redriver
        redrobin redrocke redroses redrover redryder redshift redshirt redshoes redskin1 redskins redskins1 redsox04 redsox11 redsox12
        redsox19 redsox20 redsox24 redsox99 redstone redstorm redtruck redvette redwhite redwing1 redwings redwings1 redwood1 refinnej
        reggie31 regiment reginald regional register reglisse rehjgfnrf reindeer reinhard reinhold rekbrjdf rekmubyf reliable reliance
        religion reloaded rembrand remember remingto remington renegade renfield repmvbyf reporter reptiles reptymrf republic repvtyrj
        repytwjd repytwjdf repytxbr required rerehepf rerfhfxf rerfhtre research research1 reset123 resident residentevil resolute resource
        response respublika restart1 restaura restless restrict retarded retired1 retraite retrieve retriver revelati revelation revenant
        reverend review69 reviewer reviewpa reviewpass revival47 revoluti revolution revolver reymysterio reynaldo reynolds rfcgthcrbq
        rfgbnjirf rfgecnfcerf rfgtkmrf rfhbyjxrf rfhectkm rfhfntkm rfhfrfnbwf rfhfufylf rfhfvtkm rfhfvtkmrf rfhfylfi rfhfynby rfhjkbyf
        rfhlbyfk rfhnjirf rfhvfyftd rfkbajhybz rfkbybyf rfkmrekznjh rfktylfhm rfnfcnhjaf rfnfgekmnf rfnfhbyf rfnthbyf rfnthbyf1988 rfnthbyrf
        rfntymrf rfpfyjdf rfpfynbg rfvbrflpt rfvfcenhf rfvtgbyhn rfvxfnrf rfybreks rfycthdf rhapsody rhbcnbyf rhbcnbyjxrf rhbdtnrf rhfcbdfz
        rhfcfdbwf rhfcfdxbr rhfcjnrf rhfcyjlfh rhfcyjzhcr rhfdxtyrj rhfvfnjhcr rhiannon rhind101 rhjrjlbk rhtdtlrj rhtyltkm ricardo1
        riccardo ricflair richard0 richard1 richard2 richard3 richard4 richard5 richard7 richard8 richard9 richardc richardo richards
        richardson richelle richland richmond rickster ricochet ridgeway riesling riffraff rifleman rightnow rikimaru rileydog rincewin
        rincewind ringding ringo123 ringwood riobravo riogrand ripken08 riptide1 river123 riverman riverplate riverrat riversid riverside
        rjcntyrj rjdfkmxer rjdfktdf rjdfktyrj rjhjdf777 rjhjkmbien rjhjktdf rjirfrgbde rjkjrjkmxbr rjntyjxtr rjpkjljq rjrfrjkf rjvfhjdf
        rjvgm.nth rjyatnrf rjycnbnewbz rjycnfynby rkbvtyrj rkfdbfnehf rktjgfnhf rlzwp503 rmracing roaddogg roadkill roadking roadrace
        roadrage roadrash roadrunn roadrunner roadstar roadster roadtrip robert00 robert01 robert11 robert12 robert123 robert19 robert22
        robert23 robert24 robert71 robert99 roberta1 roberto1 robertos roberts1 robertso robertson robin123 robinhoo robinhood robinson
        robotech robotics rocawear rochdale rochelle rocheste rochester rocinant rock1234 rockandr rockandroll rockbott rockbottom rockcity
        rocket01 rocket12 rocket21 rocket69 rocket88 rocketma rocketman rockets1 rockfish rockford rockhard rockhead rockhopper rockland
        rocknrol rocknroll rockport rockroll rockshox rockstar rockstar1 rockster rockwell rockwood rocky123 rockyboy rockydog rockytop
        roderick rodionov rodman91 rodrigue rodriguez roflcopter roger123 roleplay rollover rollrock rolltide rolltide1 roma1990 roma1993
        roma1995 roma1996 roma2010 roman123 roman222 roman777 romance1 romanenko romanova romanson romantic romantik romantika romashka
        romeo123 ronaldinho ronaldinho10 ronaldo1 ronaldo123 ronaldo7 ronaldo9 ronaldo99 roodypoo rooney10 roosevel rooster1 roosters
        rootbeer rootedit rosalina rosalind rosalita roseanne rosebowl rosebud1 rosebud7 rosebudd rosebuds rosebush rosedale rosehill
        roseline rosemari rosemarie rosemary rosenrot rosewood rosie123 roskilde rossella rossigno rossignol rostislav rothmans rotterda
        rotterdam rottweil rottweiler roulette rounders rousseau rover123 rovnogod roxanne1 royjones roykeane rrrrrrr1 rsalinas rt3460014
        rt6ytere rtyu4567 rubberdu rubberduck rubyrose ruffneck ruffryde rugby123 rugbyman ruggiero rulesyou rulezzzz rundll32 runescape
        runescape1 runner12 running1 rush2112 rushhour rushmore ruslan123 russell1 russell2 russell7 russian6 russian7 russians russland
        rusty123 rustyboy rustydog rutabaga rutabega ruthless rutledge rvgmw2gl ryebread ryjgjxrf rz93qpmq s1234567 s12345678 s123456789
        s123456s s1a2s3h4a5 s1s2s3s4 s456123789 s5r8ed67s s7fhs127 s9te949f saab9000 saavedra sabbath1 sabotage sabrina1 sacoremsg sacramen
        sacramento sacrific sacrifice sadie123 sadiedog sadiemae sadomaso safeu851 safonova safronova sagitari sagittarius sahtm038 sahtm069
        sahtm082 sahtm131 sailaway sailboat sailfish sailing1 sailormo sailormoon saisg002 saiyajin salamanc salamand salamander salamandra
        salasana salesman salinger salisbur sally123 sallyann sallydog salohcin salomon1 saltanat saltlake saltwater saltydog salvador
        salvatio salvation salvator salvatore salzburg sam12345 sam138989 samadams samanth1 samantha samantha1 samarkand samatron sammie01
        sammy123 sammyboy sammycat sammydog sammysos sampson1 samson12 samsung1 samsung123 samsung2 samsung9 samuel12 samurai1 samurai7
        samuraix sanandreas sananton sanchez1 sanction sanctuar sanctuary sandberg sandburg sanders1 sanders2 sanderso sandhill sandi1172
        sandiego sandman1 sandmann sandokan sandoval sandra11 sandra69 sandrine sandrita sandrock sandusky sandwich sandy123 sandydog
        sanek123 sanfrancisco sangeeta sanity72 sanity729 sanmarco sanpedro sanskrit santa234 santacla santacru santacruz santafe1
        santamaria santana1 santana5 santande santander santeria santiago santorin santorini saopaulo sapphire saqartvelo sarah123 sarah200
        sarajane sarajevo sarakawa sarasota saratoga sargeant sargsyan sasafras sasha111 sasha123 sasha1234 sasha12345 sasha1988 sasha1991
        sasha1992 sasha1993 sasha1994 sasha1995 sasha1996 sasha1997 sasha1998 sasha2000 sasha2010 sasha2011 sasha777 sasha_007 sashadog
        sashenka sasitare saskatoo sasquatc sasquatch sassy123 sassycat sassydog sasuke12 sasuke123 sat321321 satan666 satana666 sataniv1993
        satchel1 satelite satellit satellite satisfaction satriani saturday saturnin saun24865709 saunders sausage1 sausages savannah
        savannah1 savatage savchenko save13tx sawblade sawtooth saxophon saxophone sayangku sayonara sc0tland scaffold scamper1 scandinavian
        scandisk scanner1 scarecro scarecrow scarface scarface1 scarlet1 scarlets scarlett schaefer schalke0 schalke04 schastie schecter
        schedule scheisse schenker schiffer schiller schlampe schlange schlumpf schmidt1 schnapps schnecke schneide schneider schnitze
        schnitzel schnucki schnuffe schnuffi school12 schoolgirlie schooner schorsch schreibe schroder schroede schroeder schubert schultz1
        schumach schumacher schuster schuyler schwartz schweden science1 scimitar scirocco scissors scooby11 scooby12 scooby69 scoobydo
        scoobydoo scooter1 scooter2 scooter3 scooter5 scooter6 scooter7 scooter8 scooters scorcher scorelan scoreland scorpian scorpio1
        scorpio2 scorpio6 scorpio7 scorpion scorpions scorpius scotland scotsman scott123 scottie1 scottish scottsda scoubidou scoubidou2
        scoubidou6 scrabble scramble scranton scrapland scrapper scrappy1 scratch1 scratchy screamer screamin screwbal screwyou scribble
        scrubber scruffy1 scuba123 scubadiv scubaman scubapro scuderia scurlock sd3lpgdr sd3utre7 sdh686drth sdicmt7seytn sdsadee23 seabass1
        seabrook seadoo96 seagrams seagrave seagulls seahawks seahorse sealteam seamless seanjohn seaquest searcher searchin searock6
        seashell seashore seatleon seattle1 seattle2 seattle7 sebastia sebastian sebastian1 sebastie sebastien sebora64 sebring1 secret00
        secret12 secret123 secret99 secretar section8 security security1 seductive seemnemaailm segblue2 seinfeld sekirarr selassie selector
        selfok2013 selhurst semenova seminole seminoles semperf1 semperfi semperfi1 semprini senators senha123 seniseviyor senorita sensatio
        sensation sensible sensitiv sentinal sentinel sephirot sephiroth septembe september septembr septiembr sepultur sepultura serafima
        serafina seraphim serega123 serenada serenade serendip serendipity serenity sergbest sergeant sergeeva sergeevich sergeevna
        sergey123 serious1 serpent1 sersolution servette service01 service1 service321 services sessions settings settlers setupenu2
        sevastopol seven777 sevendus sevenof9 sevenout seventee seventeen seventy7 severine sevilia1 sevisgur sex12345 sex4ever sex4free
        sexaddict sexdrive sexfiend sexfreak sexiness sexisfun sexisgood sexkitte sexkitten sexlover sexmachine sexmania sexpistols sexsells
        sexsexse sexsites sexslave sexstuff sexxxxxx sexy1234 sexybabe sexybaby sexybeas sexybeast sexybitc sexybitch sexyfeet sexygirl
        sexygirls sexylady sexylegs sexylove sexymama sexypass sexyred1 sexytime sexywife sfgiants sgegukbm sh4d0w3d shadow00 shadow01
        shadow10 shadow11 shadow12 shadow1212 shadow123 shadow13 shadow14 shadow20 shadow22 shadow23 shadow69 shadow88 shadow99 shadowfa
        shadowfax shadowma shadowman shadowru shadowrun shadows1 shadwell shahrukh shakazul shakespe shakespeare shalimar shamanking
        shameles shameless shampoo1 shamrock shanahan shane123 shaney14 shanghai shannara shannon1 shannon2 shantell shaolin1 sharingan
        sharipov sharkman sharlene sharon12 sharon69 sharpie1 shashank shawshan shdwlnds shearer9 shebadog shedevil sheepdog sheffiel
        sheffield sheffwed shelbygt shelbygt500 sheldon1 shelley1 shemales shenlong shepherd sheppard sheraton sherbert sheridan sherlock
        sherman1 sherwood shetland shevchenko shibainu shilling shinchan shinigam shinigami shipmate shipping shipyard shirley1 shit1234
        shitball shitbird shitface shitfire shitfuck shithappens shithead shithead1 shithole shock123 shocker1 shockers shocking shockwav
        shoehorn shoelace shoeless shokolad shooter1 shooters shooting shopmenu shopping shopping1 shortcut shortdog shortman shortsto
        shotgun1 shotguns shotokan shoulder showboat showcase showgirl showtime shredder shrike01 shumaher shuriken shutdown shygirl1
        sibelius siberian sicilian sickness siddhart sidekick sideshow sidewalk sideways sidewind sidewinder sidorova siegheil siemens1
        sierra01 sierra12 siffredi sigmachi signatur signature sigsauer silence1 silencer silentbo silenthill silentium silicone silkeborg
        sillyboy sillyman silmaril silver01 silver11 silver12 silver21 silver22 silver33 silver69 silver77 silver99 silverad silverado
        silverch silverfi silverfo silverfox silvergo silverma silvermo silversi silverst silverstone silvestr simba123 simbacat simferopol
        simon123 simonova simonsay simonsays simpleplan simpson1 simpsons sinatra1 sinclair sinfonia singapor singapore singapur sinister
        sinnfein sintesi07 siouxsie sissinit sissy123 sissyboy sisyphus sitepass sithlord sixflags sixpence sixstrin sixtynin sixtynine
        sixtysix sizinici sk84life sk8board sk8ordie skarlett skate123 skateboa skateboard skeeter1 skeleton skeletor skidmark skidmore
        skinhead skinnass skinner1 skipjack skipper1 skipping skittles skorpion skorpion39 skyblue1 skyblues skydive1 skydiver skyeseth
        skyhawk1 skylight skyline1 skypilot skytommy skywalk1 skywalke skywalker slacker1 slackers slacking sladkaya slagelse slainte6
        slamdunk slammer1 slaphead slapnuts slapnutz slapshot slava123 slaveboy slayer123 slayer66 slayer666 slayer69 slayers1 sleeper1
        sleepers sleeping sleipnir slick123 slickone slickric slimed123 slimshad slimshady slipknot slipknot1 slipknot666 slipper1 slippers
        slippery sloneczko slot2009 slovakia slowhand slowpoke slowride slutfuck slutwife smackdow smackdown smalldog smallfry smalltit
        smallvil smallvill smallville smartass smarties smashing smeghead smellyfe smile101 smile123 smile4me smirnoff smirnova smith123
        smithers smoke420 smokedog smokeone smokepot smokewee smokeweed smokey01 smokey12 smokey22 smolensk smooches smoochie smooth15
        smoothie smuggler smuggles smurfett snake123 snakebit snakeeye snakeeyes snakeman snakepit snakeyes snapper1 snappers snapple1
        snapshot sneakers snh4life snickers snickers1 sniffing sniffles sniper01 sniper12 sniper123 snoogans snoogins snookums snoopdog
        snoopdogg snoopy12 snoopy13 snoopy69 snowball snowball1 snowbird snowboar snowboard snowdrop snowfall snowflak snowflake snowhite
        snowman1 snowmass snowshoe snowstor snowwhit snowwhite snuffles snuggles snuggles1 snusmumrik soboleva sobriety soccer01 soccer09
        soccer10 soccer11 soccer12 soccer123 soccer13 soccer14 soccer15 soccer16 soccer17 soccer18 soccer19 soccer20 soccer21 soccer22
        soccer23 soccer33 soccer69 soccer77 soccer99 sochi2014 socrates sofaking softball softball1 softcore softtail software sojdlg123aljg
        sokolova sokrates soldier1 soldiers solidsna solidsnake solitair solitari solitude solnishko solnyshko solomon1 solstice solution
        solutions sombrero somebody somerset somethin something something1 sometime sometimes sondheim sonechka songbird songline songohan
        sonic123 sonic593 sonnenschein sonnyboy sonofgod sonofsam sonshine sony1234 sonyericsson sonyfuck sonyvaio sooners1 sophie01
        sophie12 sophieh6 sopranos sorcerer sordfish soreilly sorokina sorpresa sorrento soso123aljg souleater soulmate soundman soundwav
        souschef southbay southend southern southpar southpark southpaw southsid southside southwes southwest sovereig sovereign space199
        spacebal spacebar spaceboy spacejam spaceman spagetti spaghett spaghetti spalding spam967888 spaniard spanking spankme1 spanner1
        spanners sparhawk sparkle1 sparkles sparkplu sparky01 sparky11 sparky12 sparky69 sparky99 sparrow1 sparrows spartacu spartacus
        spartak1 spartak1922 spartan1 spartan11 spartan117 spartans sparticu spawn666 speaker1 speakers spearman specboot special1 special7
        speciali specialinsta specialist specialk specialp specials spectre1 spectrum speculum speeding speedrac speedster speedway spelling
        spencer1 spencer2 spencer5 spesional spider10 spider12 spiderma spiderman spiderman1 spiderman3 spike123 spinnake spinners spinning
        spionkop spiritus spitfire splatter splendid splendor splinter splitter spongebo spongebob spoonman sport123 sportage sporting
        sportsca sportsmen sportste sportster spotligh sprewell spring00 spring12 spring99 springer springfield springst springsteen
        sprinkle sprinter spritzer sprocket spurrier spurs123 sputnik1 spyglass sqloledb squadron squeaker squealer squerting squiggle
        squirrel squirter squirtle sr20dett srawrats srilanka srinivas ss6z2sw6lu ssbt8ae2 ssptx452 sssssss1 ssvegeta stafford stainless
        stairway stalingr stalingrad stalker1 stalker123 stalker2 stallion stallone stamford stampede standard standart standing standrew
        stanford stanhope stanisla stanislav stanley1 stanley2 stanthem staples1 star1234 star6767 starbase starbuck starbucks starbug1
        starburs starchil starcraf starcraft starcraft2 stardust starfire starfish starflee starfleet starfuck starfury stargate stargaze
        stargazer stargirl starligh starlight starline starling starlite starscream starshin starship start123 starting startnow startrek
        startrek1 starwar1 starwars starwars1 starwars123 starwars3 starwood stas1992 station1 station2 statistika stauffer stayrude
        stealth1 steam181 steamboa steamboat steamforums steeler1 steelers steelers1 steelhea steelman stefania stefanie steinway stella12
        stellina stepanov stepanova stepashka steph123 stephane stephani stephanie stephanie1 stephany stephen1 stephen2 stephens stepside
        sterling steroids steve121 steve123 stevens1 stevenso stewart1 stgeorge sthgrtst stickboy stickdaddy77 stickman stiffler stigmata
        stiletto stillers stillher stimorol stinger1 stingers stingray stinker1 stinkyfinger stirling stitches stockcar stockhol stockholm
        stocking stockings stockpor stockton stokecit stokrotka stomatolog stonecol stonecold stonehenge stoneman stonewal stonewall
        stooges3 stoppedb stoppedby storm123 stormbri stpiliot str8edge straight strange1 stranger strangle strannik stratcat strategy
        stratfor stratman stratoca stratocaster stratton stratus1 strawber strawberry straycat streaker streaming streetball strekoza
        strength stressed strider1 striker1 strikers stringer strip4me stripclub stripped stripper strippers stroller strongbo stronger
        stronghold structur struggle strummer strutter stthomas student1 students studio54 studioworks studmuff studmuffin stuffing stunner1
        stuntman stupid12 sturgeon stuttgar stuttgart sublime1 submarin submarine submissi subscriber subspace suburban subwoofer subzero1
        success1 success2 success7 succubus suckcock suckdick sucker69 suckfuck suckit69 suckme69 suckmeoff suckmy1k suckmyco suckmycock
        suckmydi suckmydic suckmydick suckthis sudhakar suffering sugarbea sugarbear sugardog sugarray suicidal suikoden suitcase suleiman
        sullivan sumitomo summer00 summer01 summer02 summer03 summer04 summer05 summer06 summer07 summer08 summer09 summer10 summer11
        summer12 summer13 summer20 summer22 summer69 summer98 summer99 summerti summertime summoner sunbanna sunburst sundance sundaypunch
        sunderla sunderland sundevil sunflowe sunflower sunflower1 sunghile sunglasses sunlight sunny123 sunnyboy sunnyday sunnysid sunrise1
        sunsh1ne sunshin1 sunshine sunshine1 sunshine69 sup3rman super123 super412 superbad superbee superbik superbob superbow superbowl
        superboy supercal supercar supercat supercoo supercop superdav superdave superdog superdude superdup superduper superdut superfly
        superfre supergir supergirl superhero superior superjet superma1 supermac superman superman1 superman12 superman123 superman2
        supermanboy supermar supermario supermax supermen supermod supermom supernatural supernov supernova superpower superpuper supersex
        superson supersonic supersta superstar superstr superted supertra superuse supervisor support1 surabaya sureno13 sureshot surfboar
        surfboard surfcity surfer69 surfing1 surfside surprise surrende surround surveyor survival survivor susanne1 suspende sustanon
        susubaby sutvsc5ysaa suzanne1 svensps820 sveta123 svetasveta svetlana svetlanka sveto4ka svtcobra swallows swampfox swansong
        swatteam sweet123 sweet666 sweetass sweetboy sweetdream sweetdreams sweetgirl sweethea sweethear sweetheart sweetie1 sweetiepie
        sweeties sweetman sweetnes sweetness sweetpea sweetpus sweetpussy sweetu70 swetlana swimbike swimmer1 swimming swinger1 swingers
        swinging swissair switcher sword123 swordfis swordfish swordsma sycamore sydney12 sylvania sylveste sylvester sylviahans symantec
        symmetry sympathy symphony syncmast syncmaster syndicat syndicate syndrome syracuse sys64738 sysadmin system12 system32 system58
        systemofadown t1234567 t34vfrc1991 t3fkvkmj t5r4e3w2q1 tabaluga tabbycat table54781 tabletop tabryant taburetka tacobell tactical
        tadmichaels tadpole1 taekwond taekwondo taganrog tagheuer tailgate tailhook tajmahal takamine takayuki take8422 takecare takedown
        takefive takehana takethat talavera talented taliesin talisker talisman talktome tallulah talonesi tamerlan tampabay tamplier
        tamwsn3sja tanechka tanelorn tangerin tangerine tango123 tanlines tannenbau tanstaaf tanushka tanya123 tanyshka tanzania tapestry
        tarantino tarantul tarantula tarasova taratata tarheel1 tarheels tarragon tasha123 tashkent tasmania tassadar tatarstan tatertot
        tatiana1 tatooine taylor01 taylor10 taylor11 taylor12 taylorma taylormade tazdevil tazmania tcglyued tdeir8b2 tdfqugl5 tdfyutkbjy
        teacher1 teacher2 teachers teaching teamlosi teamomuch teamster teamwork teaparty teardrop techdeck techn9ne technica technical
        technici technician technics techniques technolo technology tecktonik tecumseh teddy123 teddybea teddybear teddybeer teenager
        teenfuck teengirl teenlove teenslut teiubesc telecast telecaster telecom1 telefon1 telefone telefono telefoon telegrap telemark
        telephon telephone teleport telescop televisi television televizor tellurid tema1234 temitope temp1234 tempest1 templar1 template
        temporal temporar temporary temppass temppassword temptress tendulkar tenerife tennesse tennessee tennis01 tennis11 tennis12
        tennis22 tenorsax tentacle tequiero tequila1 tequilla teresita terminal terminat terminato terminator terminus terorist terrance
        terranova terrapin terrell1 terrence terrible terriers terrific terrorist terry123 test1234 testament testdrive testerer testibil
        testicle testing1 testing123 testing2 testpass testuser teufelo7 texas123 texasboy textbook tgbxtcrbq tgkbxfgy thaddeus thailand
        thanatos thankful thankgod thankyou thatcher thebeach thebears thebeast thebeatl thebeatles theblack theblues thebrain thecakeisalie
        thechamp theclash theclown thecount thecure1 thedevil thedoors thedream thedude1 theflash theforce thegame1 theghost thegirls
        thegreat thegreat1 thegreek thejoker thekiller theking1 thekiwi1 thelast1 theman22 themaste themaster thematri thematrix theodora
        theodore theology thepower theraven theresa1 theriver therock1 therocks thesaint thesimpsons thesims2 thesims3 thesmith thesnake
        thespian thestone thetachi thetford thething thetruth theworld thibault thicknes thinkbig thinking thinkpad thinline thirdeye
        thirteen thirteen13 thisisit thisisme thissuck thissucks thomas01 thomas10 thomas11 thomas12 thomas123 thomas13 thomas19 thomas21
        thompson thor5200 thoradin thornton thorsten thoughts thousand thrasher threeday threepio threesom threesome thresher thriller
        throatfuck throbber throttle thruster thug4life thuglife thuglove thugstools thumbnils thumper1 thumper2 thunder0 thunder1 thunder12
        thunder2 thunder3 thunder5 thunder6 thunder7 thunder9 thunderb thunderbird thunderc thundercat thunders thursday thurston thvfrjdf
        tiberian tiberium tiberius tiburon1 ticketmaster tickleme tickling ticklish ticktock tiffanie tiffany1 tiffany2 tiffanys tiger123
        tiger200 tigerboy tigercat tigereye tigerfan tigerlil tigerman tigerpaw tigers01 tigers11 tigers12 tigertig tigerwoo tigerwoods
        tigger01 tigger10 tigger11 tigger12 tigger13 tigger22 tigger69 tigger99 tightass tightend tigrenok tiktonik timberla timberlake
        timberland timberwo timberwolf timbuktu timebomb timeless timeline timelord timepass timeport timewarp timezone timmy123 timofeeva
        timoshka timothy1 timothy2 timoxa94 tinchair tincouch tinfloor tinhorse tinkerbe tinkerbel tinkerbell tinmouse tintable tinuviel
        tippmann tiramisu tiribon12 titanic1 titanium titleist titlover titmouse titsnass tkachenko tkbpfdtnf tlbyjhju tm371855 tmjxn151
        toadfrog toasters toblerone todiefor toenails together tokenbad tokiohotel tolkien1 tomahawk tomatoes tombraid tombraider tombston
        tombstone tomcat14 tomcruis tomjerry tomjones tommy123 tommyboy tommycat tommygun tommylee tomorrow tompetty tompkins tomservo
        tomwaits tonyhawk toolman1 toolshed tooltime toonarmy toonporn toontown tooshort toosweet toothpic tootsie1 topdevice topflite
        topnotch topolino toppdogg topsecre topsecret topshelf toptotty toreador toriamos tornado1 tornados toronto1 torpedo1 torrance
        torrente torrents tortilla tortoise toshiba1 totalwar totenkopf tothetop tottenha tottenham tottenham1 touchdow touchdown touching
        toughguy toulouse toutoune townsend towtruck toxicity toyota91 toystory tr2amp25 tracker1 tracksta tractor1 tractors tracy123
        trademan trader12 trafalga traffic1 trafford trailer1 trailers training trainman tranmere trannies tranquil transalp transam1
        transcend transexual transfer transfor transformer transformers transits translator transpor transport trapdoor trashcan trashman
        traveler travelle traveller travesti travieso travolta traxdata treasure treefrog treehous treehouse treetops trek5200 trekbike
        trekstar tremblay tremendo trespass trfnthby trfnthbyf triangle triathlo triathlon tribbles tribunal trickste trickster tricolor
        trident1 triforce trigger1 trigger2 trillian trillion trillium trim7gun trinidad trinitro trinitron trinity1 trinity3 trinity7
        triplets tripping tristan1 tristram triumph1 trojans1 trombone trompete trooper1 trooper2 troopers tropical tropicana trotter1
        trotters trouble1 trouble2 troubles trousers troutbum troutman trrim777 trucker1 truckers trucking truckman trueblue truegrit
        truelies truelove truffles trujillo trumpet1 trumpets truskawka trusting trustn01 trustno1 trustnoo trustnoone tryagain tspeter1
        tsunami1 tttttt99 ttttttt1 tu190022 tubitzen tuczno18 tuesday1 tuesday2 tuffgong tujazopi tujheirf tummybed tunafish tungdom6
        tupacshakur tuppence turambar turandot turbo911 turbodog turkey50 turnbull turntabl turntable turtoise tvmarcia tvxtjk7r twelve12
        twenty20 twentyon twilight twinboys twinkies twinkles twinpeaks twinstar twinturb twisted1 twisters twizzler twogirls twothree
        tyler123 tylerca310 typhoon1 tyrik123 tyson123 tzeentch u4slpwra uaeuaeman ublhjgjybrf ubnkthrfgen ubvyfcnbrf ubvyfpbz uekmyfhf
        ufdibyjd ufgyndmv ufhhbgjnnth ufhvjybz ufkfrnbrf ufkxjyjr uhbujhbq uhfdbwfgf uhtqneyu uhtvkby17 uiegu451 ujhjl312 ujkjdjkjvrf
        ujyxfhjdf ukflbfnjh ukflbjkec ukqmwhj6 ultimate ultimatum ultra123 ultracash ultraman umbrella umisushi ummagumma un4given unb4g9ty
        unbelievable uncencored unclebob unclesam underage undercover underdog undergro undergroun underground underhil undernet underpar
        understand undertak undertake undertaker undertow underwat underwater underwea underwear underwoo underwor underworld unforgiv
        unforgiven unicorn1 unicorns uniqueness united99 universa universal universe universi universidad university unknown1 unleashed
        unlimite unlimited untitled up9x8rww uptheass upyachka urlacher ursitesux user1122 userexecute usermane username userpass usethis1
        usmarine usmc0311 usmc1775 usuckballz1 utahjazz uthvfybz utjuhfabz utjvtnhbz uto29321 utyyflbq utyyflmtdyf uuuuuuu1 uvmrysez
        uxmdzi4o v123456789 vacances vacation vader123 vadim1995 vadim1996 vaffanculo vagabond vakantie valdemar valdepen valencia valentin
        valentina valentine valentinka valentino valera123 valeria1 valerian valerie1 valeriya valetudo valhalla valiant1 validate valkiria
        valkyrie vallarta valleywa vampire1 vampires vanburen vancouve vancouver vandamme vandread vanechka vanessa1 vangelis vanguard
        vanhalen vanilla1 vanquish vanyarespekt varadero variable vaseline vasileva vasilina vasilisa vasilisk vatoloco vauxhall vaz21074
        vaz21083 vaz21093 vaz21099 vbhjckfd vbhjckfdf vbhjh123 vbhjndjhtw vbhjyjdf vbitymrf vbnhjafy vegas123 vegasman vegetabl vehpbkrf
        vehvfycr velocity velosiped vendetta venetian venezuel venezuela vengeance vengence venom121293 venom123 venomous ventura1 venture1
        vepsrfyn veracruz verbatim verboten vergesse vergeten veritas1 veritech verizon1 vermont1 verochka veronica veronika veroniqu
        veronique versace1 vertical verycool verygood verygoodbot verymuch verynice verysexy vespa123 vespucci vesuvius vetteman vfhbfyyf
        vfhbyfvfhbyf vfhbyjxrf vfhbz007 vfhecmrf vfhnsirf vfhnsyjdf vfhufhbnf vfhufhbnrf vfhvtkfl vfhvtkflrf vfhxtyrj vfiekmrf vfif1986
        vfitymrf vfkmdbyf vfktymrfz vflfufcrfh vfnbkmlf vfnhjcrby vfntvfnbrf vfpfafrf vfrcbv123 vfrcbvec vfrcbvev vfrcbvjd vfrcbvjdf
        vfrcbvrf vfrcbvtyrj vfrcbvvfrcbv vfrfhjdf vfrfhjys vfuyjkbz vfvekbxrf vfvekmrf vfvektxrf vfvf2011 vfvfbgfgf vfvfgfgf vfvfgfgf123
        vfvfgfgfz vfvfktyf vfvfnfyz vfvfvskfhfve vfvjxrf1 vfylfhby vfylfhbyrf vfyxtcnth vg08k714 vgy78uhb vibrator vicecity vicelord
        vicious1 victoire victoria victoria1 victoriya victory1 victory7 vidaloca videogam videoman viewsoni viewsonic viggen37 vigilant
        vika1234 vika12345 vika1995 vika1996 vika1998 vika2010 vika2011 vikings1 vikings2 viktoria viktorija viktoriy viktoriya villegas
        villeneuve villevalo vinbylrj vincent1 vincente vincenzo vindiesel vineyard vinicius vinograd vinogradov vintage1 vintelok violator
        violence violentj violetta violette viper123 vipergts viperman virgilio virginia virginie virtuagirl virtuoso viscount vishenka
        visigoth visionar visiting vitalik1 vitalik123 vitalina vitalogy vitamine vittoria vittorio vivahate vivienne vivitron vjhjpjdf
        vjhrjdrf vjnjhjkf vjqfyutk vjqgfhjkm vjzctvmz vjzgjxnf vkfwx046 vkontakte vlad1234 vlad1994 vlad1995 vlad1996 vlad1997 vlad1998
        vlad2010 vlad2011 vlad7788 vladimir vladimir1 vladimirovna vladislav vladislava vladivostok vladvlad vmdnygfu vodafone voldemar
        voldemor volgograd volition volkodav volkswag volkswagen volleyba volleyball voltaire voluntee volunteer volvo240 volvo850 volvofh12
        volvos40 volvos60 volvos80 volvov70 vonnegut vonsclan voodoo22 voodoo69 voorhees voronina voronova vova12345 vova1992 vova1994
        vovan_lt vovochka voxstrange voyager1 voyager2 voyager6 voyager7 vqsablpzla vre2nc3z vsevolod vsjasnel12 vthctltc vthokies vthrehbq
        vtlbwbyf vtldtltd vtnhj2033 vtufgjkbc vurdf5i2 vw198m2n vwpassat vyjujnjxbt w1234567 w1408776w w1w2w3w4 w1w2w3w4w5 w2dlww3v5p
        w3e4r5t6 w74156900 w8gkz2x1 wachovia wachtwoord waffenss wagoneer waheguru wakeboar waldemar walhalla walkman555 wallace1 wallace2
        walleye1 wallpape wallstre wallstreet walter34 wamozart wanderer wannasee wantsome wapapapa wapbbs_1 war3demo waratsea warchild
        warcraft warcraft1 warcraft3 wareagle warehous warehouse wargames warhamer warhamme warhammer warhammer40k warhawks warhorse
        warlock1 warlord1 warlords warranty warrior1 warrior2 warrior3 warrior6 warriors warspite warszawa wartburg was.here wasdwasd
        wasdwasd1 washburn washingt washingto washington watchdog watchers watching watchman watchmen watchout water123 waterbed waterboy
        waterfal waterfall waterfalls waterloo waterman watermel watermelon waterpol waterpolo waterski wavmanuk wayfarer waylande
        wazzkaprivet wcksdypk wcrfxtvgbjy wdtnjxtr weakness weare138 weather1 webhompas webhompass webmaste webmaster websol76 websolutions
        websolutionssu webster1 websters webuivalidat wedding1 wednesda wednesday weedhead weetabix weihnachte weihnachten weihnachtsbau
        weihnachtsbaum weinberg wejrpfpu welcome0 welcome01 welcome1 welcome12 welcome123 welcome2 welcome4 welcome5 welcome7 welcome8
        welcomes welkom01 wellcome welldone wellhung wellingt wellington wellness welshman wenef45313 werewolf weronika wert1234 werthvfy
        werty123 werty12345 wessonnn west1234 westbrom westcoas westcoast western1 westfiel westgate westham1 westlake westlife westover
        westpoin westport westside westside1 westward westwind westwing westwood wethepeople wetlands wetpussy wetwilly wetworks weymouth
        wg8e3wjf wharfrat whatever whatever1 whatisit whatluck whatthef whatthefuck whattheh whatthehell wheaties wheeling whenever whiplash
        whirling whiskers whiskey1 whisper1 whistler whitaker whiteboy whitecat whitedog whitehea whiteman whiteout whitepower whitesox
        whitesta whitetai whitetail whitewol whitewolf whitlock whitney1 whittier whoareyo whoareyou whocares whodaman whoknows wholesale
        whoopass whoppers whosyourdaddy whynotme whytesha wideglid wideopen widespre widespread wifey200 wikinger wiktoria wildbill wildblue
        wildcard wildcat1 wildcat7 wildcats wildchil wildfire wildlife wildman1 wildroid wildrose wildside wildstar wildthin wildthing
        wildwest wildwood wilkinso william0 william1 william2 william3 william4 william6 william7 william8 williamj williamm williams
        williams1 willie12 willow01 willy123 willyboy wilshire wimbledon winchest winchester windmill windows1 windows2 windows9 windsong
        windsor1 windstar windsurf windward winfield wingchun wingtsun wingzero winifred winner12 winner69 winnipeg winnipeg261 winston1
        winston2 winston3 winston6 winston9 winstonone winstons winter00 winter01 winter07 winter09 winter11 winter12 winter13 winter98
        winter99 wintermu winthrop winxclub wireless wisconsi wisconsin wishbone wishmaster wisteria withlove withnail wizard12 wizardry
        wladimir wltfg4ta wmegrfux wnmaz7sd wolfgang wolfman1 wolfpack wolverin wolverine wolverines womersle wonderbo wonderboy wonderbr
        wonderfu wonderful wonderla wonderland wonderwa wonderwall wonderwo wonderwoman wonkette woodbine woodbird woodbury woodchuc
        woodcock wooddoor woodduck woodfish woodford woodland woodlawn woodpony woodruff woodside woodsink woodstoc woodstock woodward
        woodwind woodwork woody123 woofwoof wordlife wordpass wordpass1 workhard working1 workshop worksuck world123 worldcom worldcup
        worldnet worldwar worldwid worldwide wormhole wormwood worr3619 wow12345 wowlook1 wp2003wp wpoolejr wrangler wrest666 wrestle1
        wrestler wrestlin wrestling wrestling1 wretched wrinkle1 wrinkle5 wrinkles writerspace wrongway wsbadmin wtpmjgda wtsfjmi7 wutang36
        wwr8x9pu wwwooo1234 wwwwwww1 x002tp00 x123456x x4ww5qdr x72jhhu3z xaccess2 xakep1234 xboxlive xcalibur xcat_xca xcountry xehrf2011
        xenocide xenogear xenophon xexeylhf xiaoyua123 xohzi3g4 xpressmusic xsvnd4b2 xsw21qaz xsw23edc xsw2zaq1 xthtgfirf xtutdfhf xufrgemw
        xxx12345 xxxp455w0rd5 xxxxxxx1 xyh28af4 xzsawq21 yaglasph yamaha12 yamahar1 yamahar6 yamakasi yamamoto yankee23 yankeemp yankees0
        yankees1 yankees2 yankees23 yankees3 yankees4 yankees7 yankees9 yanochka yanshi1982 yardbird yaroslav yasacrac yasuhiro ybrbnbyf
        ybrbnf_25 ybrbnjcbr ybrjkfq1 ybrjkftd ybrjkftdbx ybrjkftdf ybrjkftdyf ycwvrxxh yeahbaby yeahrigh yeahright year2000 year2005
        yelena03 yellow12 yellow22 yes90125 yesplease yessongs yesterda yesterday yesyesye yfcnfcmz yfcnhjtybt yfcntymrf yfcnz123 yfcnzvjz
        yfcnzyfcnz yfdbufnjh yfeiybrb yfgjktjy yfhrjnbrb yfhrjvfy yfltymrf yfnfitymrf yfxfkmybr ygfxbkgt yggdrasi yingyang yjdbrjdf yjdjcnbf
        yjdsqgfhjkm yjdsqujl yjdujhjl yjhbkmcr ym3cautj yogibear yokohama yokosuka yolanda1 yorkshir yorkshire yorktown yosemite yoshimitsu
        youandme yougotit youngman youngone yourmama yourmom1 yourname yourself yousuck1 yqlgr667 yqmbevgk yr8wdxcq ytdxz2ca ytngfhjkz
        ytnhjufnm ytrewq11 ytrhjvfyn ytyfdbcnm yuitre12 yujyd360 yvtte545 yxkck878 yy5rbfsc yyyyyyy1 yzerman1 z1234567 z123456789 z123456z
        z1x2c3v4 z1x2c3v4b5 z1x2c3v4b5n6 z1x2c3v4b5n6m7 z1z2z3z4 z3cn2erv zacharia zachary1 zaharova zanzibar zaphod42 zaq!2wsx zaq11qaz
        zaq12345 zaq123wsx zaq12qaz zaq12wsx zaq12wsxcde3 zaq1xsw2 zaq1xsw2cde3 zaqwsx123 zaqwsxcde zaqwsxcderfv zaqxsw123 zaqxswcde
        zaragoza zaratustra zasranec zaxscdvf zcfvfzkexifz zcgihlke zcxfcnkbdf zcxfcnkbdfz zebra123 zemanova zenit2011 zeppelin zergling
        zerocool zerohour zesyrmvu zexts364325 zheng2568 zhjckfdf zhongguo zidane10 zigazaga ziggy123 ziggydog zildjian zimbabwe zimmerma
        zimmerman zinedine zipdrive zippo123 zippy123 zjses9evpa zldej102 zmpimeje zoidberg zolushka zolushka2 zombie13 zootsuit zorro123
        zpflhjn1 zqjphsyf6ctifgu zrjdktdf zse45rdx zse4xdr5 zsecyus56 zucchero zwilling zwt2sbzl zx123456 zx123456789 zxasqw12 zxc12345
        zxc123456 zxc123qwe zxc123zxc zxcasd123 zxcasdqw zxcasdqwe zxcasdqwe123 zxcqweasd zxcv1234 zxcv4321 zxcvasdf zxcvb123 zxcvb1234
        zxcvb12345 zxcvbasdfg zxcvbn12 zxcvbn123 zxcvbn123456 zxcvbn3215 zxcvbnm. zxcvbnm1 zxcvbnm12 zxcvbnm123 zxcvbnm1234 zxcvbnm123456789
        zxcvbnma zxcvbnmm zxcvbnmmnbvcxz zxcvbnmz zxcvfdsa zxcvqwer zxcvvcxz zz123456 zz8807zpl zzxxccvv zzzxxxccc zzzzxxxx zzzzzzz1
        """
}
