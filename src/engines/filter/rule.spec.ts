import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonValue } from '../json/json-value.js';
import { evaluateRule, MAX_STEPS, parseRule, type Rule } from './rule.js';

const data = {
  event: 'update:job',
  job: { id: 7, state: 'completed', stage: 'annotation', assignee: null, updated_date: '2026-01-02T00:00:00Z' },
  before_update: { state: 'in progress' },
  labels: [{ name: 'cat' }, { name: 'dog' }],
};
const passes = (rule: JsonValue): boolean => evaluateRule(parseRule(rule), data).passed;
const v = (path: string): JsonValue => ({ var: path });

describe('a rule in JSON Logic', () => {
  it.each<[JsonValue, boolean]>([
    [{ '==': [v('job.state'), 'completed'] }, true],
    [{ '==': [v('job.state'), 'new'] }, false],
    [{ '!=': [v('job.state'), 'new'] }, true],
    [{ '==': [v('job.id'), '7'] }, true],
    [{ '===': [v('job.id'), '7'] }, false],
    [{ '!==': [v('job.id'), '7'] }, true],
    [{ '==': [v('job.assignee'), null] }, true],
    [{ '==': [v('job.nothing'), 0] }, false],
    [{ '==': [v('labels'), v('labels')] }, false],
    [{ '>': [v('job.id'), 6] }, true],
    [{ '>=': [v('job.id'), 8] }, false],
    [{ '<': [1, v('job.id'), 10] }, true],
    [{ '<=': [8, v('job.id'), 10] }, false],
    [{ '>': [v('job.updated_date'), '2026-01-01T00:00:00Z'] }, true],
    [{ and: [{ '!': [v('job.assignee')] }, { var: 'before_update.state' }] }, true],
    [{ and: [true, []] }, false],
    [{ or: [false, v('job.assignee'), 0] }, false],
    [{ or: [false, 'x'] }, true],
    [{ '!!': [[]] }, false],
    [{ in: [v('job.stage'), ['annotation', 'validation']] }, true],
    [{ in: ['upd', v('event')] }, true],
    [{ in: [1, v('job')] }, false],
    [{ if: [v('job.assignee'), false, v('job.id'), true, false] }, true],
    [{ '?:': [false, true] }, false],
    [{ some: [v('labels'), { '==': [v('name'), 'cat'] }] }, true],
    [{ all: [v('labels'), { '==': [v('name'), 'cat'] }] }, false],
    [{ all: [[], true] }, false],
    [{ none: [v('labels'), { '==': [v('name'), 'bird'] }] }, true],
    [{ '==': [{ reduce: [[1, 2, 3], { '+': [v('current'), v('accumulator')] }, 0] }, 6] }, true],
    [{ '==': [{ cat: [{ map: [v('labels'), v('name')] }] }, 'cat,dog'] }, true],
    [{ filter: [v('labels'), { '==': [v('name'), 'bird'] }] }, false],
    [{ '!': [{ missing: ['job.id', 'job.state'] }] }, true],
    [{ missing: 'job.nothing' }, true],
    [{ missing_some: [1, ['job.id', 'job.nothing']] }, false],
    [{ missing_some: [2, ['job.id', 'job.nothing']] }, true],
    [{ '==': [{ substr: ['abcdef', -3, -1] }, 'de'] }, true],
    [{ '==': [{ substr: ['abcdef', 1, 2] }, 'bc'] }, true],
    [{ '==': [{ '-': [5, { '-': [2] }] }, 7] }, true],
    [{ '==': [{ '%': [v('job.id'), 4] }, { max: [1, 3, 2] }] }, true],
    [{ '==': [{ '/': [1, 0] }, null] }, true],
    [{ '==': [{ min: [{ '*': [2, 3] }, 9] }, 6] }, true],
    [{ in: ['b', { merge: [['a'], ['b']] }] }, true],
    [{ '==': [{ var: ['job.nothing', 'else'] }, 'else'] }, true],
    [{ '==': [{ var: 'labels.1.name' }, 'dog'] }, true],
    [{ var: '' }, true],
    [{ var: 'job.constructor' }, false],
    [{ var: '__proto__.x' }, false],
  ])('%j is %p', (rule, expected) => {
    expect(passes(rule)).toBe(expected);
  });

  it.each<[unknown, string]>([
    [null, 'A rule is an object'],
    ['x', 'A rule is an object'],
    [[], 'A rule is an object'],
    [{}, 'an object must have one operator, not 0.'],
    [{ and: [true, { '==': [1, 1], '!=': [1, 2] }] }, 'At and[1]: an object must have one operator, not 2.'],
    [{ and: [{ or: [{ like: [1, 2] }] }] }, 'At and[0].or[0]: there is no operator "like".'],
    [{ log: 'x' }, 'there is no operator "log".'],
    [{ constructor: 1 }, 'there is no operator "constructor".'],
    [{ '==': [{ var: { a: 1 } }, 1] }, 'At ==[0].var: the path must be a text'],
    [{ '==': [{ var: ['a', { nope: 1 }] }, 1] }, 'At ==[0].var: there is no operator "nope".'],
    [{ '==': [{ var: 'event' }] }, '"==" takes a list of two values.'],
    [{ and: [{ in: { var: 'event' } }] }, 'At and[0]: "in" takes a list of two values.'],
    [{ in: ['x', 'y'.repeat(9000)] }, 'more than 8192 characters'],
    [Array.from({ length: 30 }).reduce((rule) => ({ '!': rule }), true), 'more than 20 levels deep'],
  ])('refuses %j', (rule, sentence) => {
    expect(() => parseRule(rule)).toThrow(sentence);
  });

  it('reports the values that it read', () => {
    const rule = parseRule({ and: [{ '==': [v('job.state'), 'completed'] }, { '>': [v('job.id'), 10] }, v('event')] });
    expect(evaluateRule(rule, data)).toEqual({
      passed: false,
      seen: { 'job.state': 'completed', 'job.id': 7 },
      exhausted: false,
    });
  });

  it('passes when evaluation takes too long', () => {
    const list = Array.from({ length: 200 }, (_, index) => index);
    const nested = (depth: number): JsonValue =>
      depth === 0 ? { '<': [1, 0] } : { some: [list.slice(0, 30), nested(depth - 1)] };
    expect(evaluateRule(parseRule(nested(4)), data)).toMatchObject({ passed: true, exhausted: true });
    expect(MAX_STEPS).toBeLessThan(30 ** 4);
  });

  it('never throws, whatever the rule', () => {
    const operators = fc.constantFrom(
      '==',
      '<',
      '+',
      'cat',
      'substr',
      'in',
      'map',
      'reduce',
      'if',
      'min',
      'missing_some',
      'merge',
      'var',
    );
    const { rule } = fc.letrec<{ rule: JsonValue; operand: JsonValue }>((tie) => ({
      rule: fc.tuple(operators, fc.array(tie('operand'), { maxLength: 4 })).map(([name, list]) => ({ [name]: list })),
      operand: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }).filter((value) => typeof value !== 'object') as fc.Arbitrary<JsonValue>,
        tie('rule'),
      ),
    }));
    fc.assert(
      fc.property(rule, (any) => {
        let parsed: Rule;
        try {
          parsed = parseRule(any);
        } catch {
          return true;
        }
        return typeof evaluateRule(parsed, data).passed === 'boolean';
      }),
    );
  });
});
