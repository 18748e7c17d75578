/**
 * Passwords that guessers try first: a small list in lower case, checked as it is and with a short ending of digits
 * and marks removed. No network, no list to download.
 */
const list = `
00000000 000000000 0123456789 098765432 0987654321 102030405060 1029384756 11111111 111111111 11223344 112233445566
121212121 123123123 123321123 12341234 123456 1234567 12345678 123456789 1234567890 12345678910 123456789a
123456abc 123456qwerty 12345qwert 1234qwer 123654789 123qweasd 147258369 147852369 159357258 1q2w3e4r 1q2w3e4r5t
1q2w3e4r5t6y 1qaz2wsx 1qazxsw2 22222222 33333333 5201314520 55555555 66666666 741852963 77777777 789456123 87654321
88888888 987654321 9876543210 99999999 a1234567 a12345678 a123456789 a1b2c3d4 aa123456 aaa111 abc12345 abc123456
abcd1234 abcdefgh abcdefghi abcdefghij access access14 admin admin123 admin1234 admin12345 admin@123 administrator
alexander alexandra america1 amor1234 andrew angel angels anthony anthony1 apple123 argentina arsenal asd123456
asdf1234 asdfasdf asdfgh asdfghjk asdfghjkl asdfqwer ashley ashley12 asshole asshole1 australia autumn autumn2024
autumn2025 autumn2026 azerty azertyui azertyuiop babyboy babygirl babygirl1 bailey barcelona barcelona1 baseball
baseball1 baseball123 basketball batman batman123 batman1234 beautiful beautiful1 benjamin berlin123 bestfriend
bigdaddy bismillah blessed1 bonjour123 brandon brandon1 brasil123 brother1 bullshit business buster butterfly
california canada123 changeit changeme changeme1 changeme123 charlie charlie1 charlie123 cheesecake chelsea
chevrolet chocolate christ1 christian christine college1 company1 company123 computer computer1 contrasena
contraseña cookie correcthorsebatterystaple corvette counterstrike cowboys crocodile cupcake daniel danielle
december default default1 demo1234 demodemo deutschland diamond1 diamonds doggy123 dolphin1 dolphins doudou123
dragon dragon12 dragon123 eagles elephant elizabeth england1 facebook facebook1 family01 family123 father123
february ferrari flower flowers football football1 football123 forever forever1 fortnite freedom freedom1 friday13
friends1 friendship fuckoff fuckyou fuckyou1 fuckyou2 futbol garfield gfhjkm123 ghbdtn123 ginger github123
godisgood goldfish goodbye1 goodluck goodmorning google123 googlegoogle guest123 hallo123 hannah123 happy123
happyday harley harley12 haslo123 heaven7 hello123 hello1234 hellohello helloworld helloworld1 hockey hola1234
honda123 hunter hunter12 hunter123 ihateyou iloveher iloveme iloveu iloveyou iloveyou1 iloveyou2 iloveyou520
india123 instagram internet internet1 iphone123 ironman jackson january1 jennifer jennifer1 jessica jessica1
jesus123 jesuschrist jonathan jordan jordan123 jordan23 joshua juventus killer killer12 killer123 kitty123 kittycat
lakers lamborghini letmein letmein! letmein1 letmein123 linkedin linkedin1 liverpool liverpool1 lkjhgfdsa login123
loginlogin london123 lovelove lovely123 loveme loveyou lozinka123 lucifer maggie manchester march2024 master
master12 master123 matrix123 matthew mercedes mercury1 messi10 mexico123 michael michael1 michael123 michelle
microsoft midnight midnight1 minecraft minecraft1 mnbvcxz0 monday123 monkey monkey12 monkey123 motdepasse mother123
motherfucker motorola mudar123 mustang mylove mypassword mypassword1 naruto natasha1 newpassword newyork1 nicole
nikita123 nintendo nopassword november october1 office123 p@$$w0rd p@$$word p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@ssword
pa$$w0rd pa$$word pa55w0rd pa55word pakistan pakistan123 paris123 parola123 pass1234 pass12345 pass@123 pass@word1
passpass passw0rd passw0rd1 passwd123 password password! password01 password1 password1! password11 password12
password123 password123! password1234 password2 password3 passwort patrick patriots penguin1 pepper phantom1
phoenix1 platinum playstation poiuytrewq pokemon pokemon1 porsche princesa princess princess1 princess123 pussycat
q1w2e3r4 q1w2e3r4t5 qazwsx qazwsxedc qwe123456 qweasdzxc qweqweqwe qwerty qwerty12 qwerty123 qwerty1234 qwerty12345
qwertyqwerty qwertyu qwertyui qwertyuio qwertyuiop qwertz qwertzui qwertzuiop rainbow ranger realmadrid redsox
richard robert ronaldo root1234 rootroot salasana samantha samsung samsung1 schatz123 school123 sebastian secret
secret12 secret123 security security1 senha123 server123 shadow shadow12 shadow123 sifre123 sister123 smile123
snoopy123 soccer soccer1 soleil123 spiderman spring spring2024 spring2025 spring2026 starwars starwars1 steelers
stephanie strawberry student1 student123 summer summer12 summer123 summer2020 summer2021 summer2022 summer2023
summer2024 summer2025 summer2026 sunday123 sunshine sunshine1 sunshine123 superman superman1 superman123 sweetheart
sweety teacher1 teamo123 temp1234 temppass test1234 test12345 tester123 testing testing1 testing123 testtest
texas123 thepassword thomas tiger123 tigger toor1234 topsecret toyota123 truelove trustno1 twitter1 united user1234
username victoria wachtwoord warcraft welcome welcome1 welcome12 welcome123 welcome@123 welkom01 welkom123 whatever
whatever1 william windows1 windows10 winter winter2020 winter2021 winter2022 winter2023 winter2024 winter2025
winter2026 woaini1314 woaini520 yamaha123 yankees yourpassword zaq12wsx zaq1@wsx zaq1zaq1 zxcv1234 zxcvbn zxcvbnm
zxcvbnm1
`

export const commonPasswords: ReadonlySet<string> = new Set(list.trim().split(/\s+/))
