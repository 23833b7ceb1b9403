import { readCsv } from '../../src/engines/annotations/formats/csv.js';
import { readYaml } from '../../src/engines/annotations/formats/yaml.js';
import { readXml } from '../../src/engines/annotations/formats/xml.js';
import { parseLargeLabeledData } from '../../src/engines/annotations/parse.js';
import { parseFilter } from '../../src/engines/filter/json-logic.js';
import { evaluateRule, parseRule } from '../../src/engines/filter/rule.js';
import { describeJsonError } from '../../src/engines/json/python-json-error.js';
import { parseLargeJson } from '../../src/engines/json/large-json.js';
import { sql } from '../../src/engines/sql/sql.js';
import type { FuzzTarget } from './target.js';
import { mutatedText } from './text-mutations.js';

const JSON_TEXT =
  '{"shapes":[{"type":"rectangle","frame":0,"label_id":1,"points":[1,2,3,4],"attributes":[{"spec_id":11,"value":"a"}]}],' +
  '"tracks":[{"frame":0,"label_id":2,"shapes":[{"type":"polygon","frame":0,"points":[1,2,3,4,5,6],"attributes":[]}],"elements":[]}]}';
const RULE =
  '{"and":[{"==":[{"var":"task.name"},"a"]},{"some":[{"var":"labels"},{"in":["b",{"var":"name"}]}]},' +
  '{"reduce":[{"map":[{"var":"labels"},{"cat":[{"var":"name"},"x"]}]},{"cat":[{"var":"accumulator"},{"var":"current"}]},""]}]}';
const DATA = { task: { name: 'a' }, labels: Array.from({ length: 50 }, (_, at) => ({ name: `label ${at}` })) };
const FIELDS = { id: { kind: 'integer', column: sql`id` }, name: { kind: 'text', column: sql`name` } } as unknown as Parameters<typeof parseFilter>[1]; // prettier-ignore

async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 2 ** 16) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    yield bytes.subarray(at, at + 2 ** 16);
  }
}

/** What reads a text: the error names are answers. */
const READERS: Readonly<
  Record<
    string,
    {
      readonly valid: string;
      readonly inRequest?: boolean;
      readonly refusals?: readonly string[];
      readonly read: (text: string) => unknown;
    }
  >
> = {
  'JSON body': {
    valid: JSON_TEXT,
    inRequest: true,
    refusals: ['SyntaxError', 'AnnotationInvalid'],
    read: async (text) =>
      parseLargeLabeledData(await parseLargeJson(Buffer.from(text), { turn: 2 ** 12 }), { action: 'create' }),
  },
  'message of a JSON error': { valid: JSON_TEXT, inRequest: true, read: (text) => describeJsonError(text) },
  rule: {
    valid: RULE,
    inRequest: true,
    refusals: ['SyntaxError', 'RuleError'],
    read: (text) => evaluateRule(parseRule(JSON.parse(text)), DATA),
  },
  filter: {
    valid:
      '{"and":[{"==":[{"var":"id"},5]},{"or":[{"in":["a",{"var":"name"}]},{"!":{"var":"name"}}]},{"<=":[1,{"var":"id"},9]}]}',
    inRequest: true,
    refusals: ['FilterError'],
    read: (text) => parseFilter(text, FIELDS),
  },
  YAML: {
    valid: 'names:\n  0: car\n  1: "a b"\nkpt_shape: [3, 2]\nx: &a {b: [1, 2]}\ny: *a\nz:\n  <<: *a\n',
    read: (text) => readYaml(text, 'data.yaml'),
  },
  CSV: {
    valid: 'a,b,c\r\n1,"x, y",3\r\n4,5,"6""7"\r\n',
    read: async (text) => {
      for await (const row of readCsv(inPieces(text), 'a.csv')) row.text('a');
    },
  },
  XML: {
    valid: '<?xml version="1.0"?><a x="1"><!-- c --><b y="&amp;2">text<![CDATA[more]]></b><c><d/></c></a>',
    read: async (text) => {
      for await (const _ of readXml(inPieces(text), 'a.xml', { wholeAt: 2, skip: '' }));
    },
  },
};

export const textTargets: readonly FuzzTarget[] = Object.entries(READERS).map(
  ([name, { valid, inRequest = false, refusals = [], read }]) => ({
    name: `text ${name}`,
    inRequest,
    refusals,
    make: (random) => {
      const text = mutatedText(valid, random);
      return { files: new Map([['text', Buffer.from(text)]]), run: async () => await read(text) };
    },
  }),
);
