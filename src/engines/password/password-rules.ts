export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** Data about a user, for the rule against passwords that repeat it. Keys are names for the error texts. */
export type PersonalData = Readonly<Record<string, string>>;

/** Fraction of common characters from which a password counts as too similar. */
const MAX_SIMILARITY = 0.7;

/** Sentences about what is wrong with a password on its own; none if it is acceptable. */
export function passwordProblems(password: string): string[] {
  const problems: string[] = [];
  const length = Array.from(password).length;
  if (length < MIN_PASSWORD_LENGTH) {
    problems.push(`This password is too short. It must contain at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  if (length > MAX_PASSWORD_LENGTH)
    problems.push(`Ensure this field has no more than ${MAX_PASSWORD_LENGTH} characters.`);
  if (isCommon(password)) problems.push('This password is too common.');
  if (/^\p{Nd}+$/u.test(password)) problems.push('This password is entirely numeric.');
  return problems;
}

/** Sentences about a password that resembles public data of its owner; reports only the first similar part. */
export function similarityProblems(password: string, data: PersonalData): string[] {
  const own = password.toLowerCase();
  const name = Object.entries(data).find(([, value]) => partsOf(value).some((part) => isSimilar(own, part)))?.[0];
  return name === undefined ? [] : [`The password is too similar to the ${name}.`];
}

/** Whether it repeats one character or is a well-known password. */
const isCommon = (password: string): boolean => {
  const plain = password.trim().toLowerCase();
  return COMMON_PASSWORDS.has(plain) || /^(.)\1*$/u.test(plain);
};

const partsOf = (value: string): string[] => {
  const whole = value.toLowerCase();
  return [...whole.split(/[^\p{L}\p{N}_]+/u), whole].filter((part) => part !== '');
};

/**
 * Twice the number of common characters (each counted as often as both texts have it) divided by the sum of the
 * lengths: the upper bound of Ratcliff and Obershelp's similarity, and the measure of Django's rule. Parts far shorter
 * than the password are ignored, because they cannot make it guessable.
 */
export function similarity(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  if (left.length + right.length === 0) return 1;
  const available = new Map<string, number>();
  for (const character of right) available.set(character, (available.get(character) ?? 0) + 1);
  let common = 0;
  for (const character of left) {
    const rest = available.get(character) ?? 0;
    if (rest === 0) continue;
    available.set(character, rest - 1);
    common += 1;
  }
  return (2 * common) / (left.length + right.length);
}

function isSimilar(password: string, part: string): boolean {
  const tooShort = password.length >= 10 * part.length && part.length < (MAX_SIMILARITY / 2) * password.length;
  return !tooShort && similarity(password, part) >= MAX_SIMILARITY;
}

/**
 * The passwords that attackers try first, in lower case. The list is short on purpose, since attempts are also limited.
 */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
    12 123 123456 password 12345678 qwerty 123456789 12345 1234 111111 1234567 dragon 123123 baseball abc123 football
    monkey letmein shadow master 666666 qwertyuiop 123321 mustang 1234567890 michael 654321 superman 1qaz2wsx
    7777777 121212 000000 qazwsx 123qwe killer trustno1 jordan jennifer zxcvbnm asdfgh hunter buster soccer harley
    batman andrew tigger sunshine iloveyou 2000 charlie robert thomas hockey ranger daniel starwars klaster 112233
    george computer michelle jessica pepper 1111 zxcvbn 555555 11111111 131313 freedom 777777 pass maggie 159753
    aaaaaa ginger princess joshua cheese amanda summer love ashley nicole chelsea biteme matthew access yankees
    987654321 dallas austin thunder taylor matrix mobilemail mom monitor monitoring montana moon moscow password1
    password12 password123 password1234 passw0rd p@ssw0rd p@ssword pa$$word passwort motdepasse contrasena parola
    admin admin1 admin12 admin123 admin1234 administrator root toor guest user test test1 test123 test1234 testing
    testtest changeme changeit default secret secret1 secret123 welcome welcome1 welcome123 login letmein1
    letmein123 hello hello123 helloworld whatever qwerty1 qwerty12 qwerty123 qwerty1234 qwertyui asdfghjk asdfghjkl
    asdf1234 asdfasdf 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qazxsw2 zaq12wsx zaq1zaq1 q1w2e3r4 q1w2e3r4t5 qazwsxedc 1234qwer
    qwer1234 abcd1234 abc12345 abcdef abcdefg abcdefgh abcdefghi a1b2c3d4 aa123456 a123456 a12345678 a123456789
    123456a 12345678a 123456789a 1234abcd 0123456789 0987654321 9876543210 87654321 98765432 12344321 11223344
    12121212 123123123 123454321 147258369 147852369 159357 789456123 741852963 88888888 99999999 00000000 22222222
    33333333 44444444 55555555 66666666 77777777 10203040 19841984 20202020 iloveyou1 iloveyou2 ilovegod sunshine1
    princess1 football1 baseball1 superman1 batman123 michael1 jennifer1 michelle1 jessica1 charlie1 dragon123
    master123 monkey123 shadow123 computer1 internet samsung google facebook linkedin microsoft windows apple123
    dropbox github gitlab docker postgres oracle mysql database server liverpool arsenal chelsea1 barcelona
    realmadrid manchester juventus patrick alexander victoria elizabeth christian benjamin jonathan nicholas
    stephanie samantha veronica cristina fernando santiago francisco alejandro sebastian valentina starwars1 pokemon
    pokemon1 naruto minecraft fortnite playstation nintendo spiderman metallica nirvana slipknot butterfly chocolate
    strawberry basketball volleyball softball swimming dolphins panthers cowboys steelers redskins blink182 lovelove
    lovely loveme babygirl angel1 angels forever friends friendship blessed jesus1 jesuschrist mercedes porsche
    ferrari corvette mustang1 yamaha suzuki spring2024 summer2024 autumn2024 winter2024 spring2025 summer2025
    autumn2025 winter2025 trustnoone letmeinnow openup opensesame passpass passphrase password! password1! p4ssw0rd
    passw0rd1 qwerty!@ 1qaz@wsx !qaz2wsx zxcvbnm1 zxcvbnm123
  `
    .trim()
    .split(/\s+/),
);
