import { COMMON_PASSWORDS } from './common-passwords.js';

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** What is known about a person, for the rule against passwords that repeat it. Keys are names for the error texts. */
export type PersonalData = Readonly<Record<string, string>>;

/** Share of characters in common from which a password counts as too similar. */
const MAX_SIMILARITY = 0.7;

/** Sentences against a password on its own; none when it will do. */
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

/** Sentences against a password that says what everybody knows of its owner: the first part that it resembles. */
export function similarityProblems(password: string, data: PersonalData): string[] {
  const own = password.toLowerCase();
  const name = Object.entries(data).find(([, value]) => partsOf(value).some((part) => isSimilar(own, part)))?.[0];
  return name === undefined ? [] : [`The password is too similar to the ${name}.`];
}

/** One character, one repeated character and the well-known ones. */
const isCommon = (password: string): boolean => {
  const plain = password.trim().toLowerCase();
  return COMMON_PASSWORDS.has(plain) || /^(.)\1*$/u.test(plain);
};

const partsOf = (value: string): string[] => {
  const whole = value.toLowerCase();
  return [...whole.split(/[^\p{L}\p{N}_]+/u), whole].filter((part) => part !== '');
};

/**
 * Twice the number of characters in common (each as often as both have it) over the sum of the lengths: the upper bound
 * that Ratcliff and Obershelp's similarity has, and the measure of Django's rule. Parts far shorter than the password
 * cannot make it guessable and are left out.
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
