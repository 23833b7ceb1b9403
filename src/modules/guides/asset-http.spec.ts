import { describe, expect, it } from '@jest/globals';
import { inline, securityPolicyFor } from './asset-http.js';

describe('headers of files', () => {
  it.each([
    ['a.png', 'inline; filename="a.png"'],
    ['a"b\\c.png', `inline; filename="a_b_c.png"; filename*=UTF-8''a%22b%5Cc.png`],
    ['a\r\nX: y.png', `inline; filename="a__X_ y.png"; filename*=UTF-8''a%0D%0AX%3A%20y.png`],
    ["Fünf (5)'.png", `inline; filename="F_nf _5__.png"; filename*=UTF-8''F%C3%BCnf%20%285%29%27.png`],
  ])('name %j', (name, header) => expect(inline(name)).toBe(header));

  it('forbid scripts', () => {
    expect(securityPolicyFor('image/png')).toContain('sandbox');
    expect(securityPolicyFor('application/pdf')).toMatch(/^default-src 'none';/);
  });
});
