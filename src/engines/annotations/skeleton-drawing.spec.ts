import { describe, expect, it } from '@jest/globals';
import { safeDrawing } from './skeleton-drawing.js';

const LINE =
  '<line x1="1" y1="2" x2="3" y2="4" stroke="black" data-type="edge" data-node-from="1" data-node-to="2"></line>';
const NODE =
  '<circle r="0.75" cx="1" cy="2" data-type="element node" data-element-id="1" data-label-name="head"></circle>';

describe('the drawing of a skeleton', () => {
  it.each([
    ['is empty', ''],
    ['is like those of CVAT', LINE + NODE],
    ['has elements that close themselves', "<circle cx='1' cy = '2' />\n <g><path d=\"M0 0\"/></g>"],
    [
      'is a whole document',
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${LINE}<text>a &amp; b</text></svg>`,
    ],
    ['has names that look like code', '<circle data-label-name="url(x) onload=alert(1)"/>'],
    ['is a text', 'nothing'],
  ])('stays as it is if it %s', (_, svg) => {
    expect(safeDrawing(svg)).toBe(svg);
  });

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script in capitals', '<SCRIPT>alert(1)</SCRIPT>'],
    ['a script with a prefix', '<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>'],
    ['a script that loads', '<script href="https://evil.example/x.js"/>'],
    ['a script in CDATA', '<script><![CDATA[alert(1)]]></script>'],
    ['a foreign object', '<foreignObject><body onload="alert(1)"><circle r="1"/></body></foreignObject>'],
    ['a frame', '<iframe src="javascript:alert(1)"></iframe>'],
    ['an image', '<image href="x" onerror="alert(1)"/>'],
    ['a style', '<style>@import url(https://evil.example)</style>'],
    ['an animation', '<animate attributeName="href" to="javascript:alert(1)"/>'],
    ['a reference', '<use href="data:image/svg+xml,evil"/>'],
    ['a comment', '<!--><img src=x onerror=alert(1)>-->'],
    ['an instruction', '<?xml-stylesheet href="javascript:alert(1)"?>'],
  ])('loses %s', (_, evil) => {
    expect(safeDrawing(LINE + evil + NODE)).toBe(LINE + NODE);
  });

  it.each([
    'onload="alert(1)"',
    'ONCLICK="alert(1)"',
    'href="javascript:alert(1)"',
    'xlink:href="javascript:alert(1)"',
    'style="background:url(https://evil.example)"',
    'fill="url(https://evil.example)"',
    String.raw`stroke="u\72l(https://evil.example)"`,
    'xmlns="http://www.w3.org/1999/xhtml"',
    'onload=alert(1)',
  ])('loses the attribute %s', (evil) => {
    expect(safeDrawing(`<circle r="1" ${evil}></circle>`)).toBe('<circle r="1"></circle>');
  });

  it('keeps what is in a link', () => {
    expect(safeDrawing(`<a href="javascript:alert(1)">${NODE}</a>${LINE}`)).toBe(NODE + LINE);
  });

  it('loses a nested script', () => {
    expect(safeDrawing('<g><script><g><script/></g>alert(1)</script><circle r="1"/></g>')).toBe(
      '<g><circle r="1"/></g>',
    );
  });

  it.each([
    ['an element that never ends', '<g><circle r="1"', '<g></g>'],
    ['a script that never ends', `${NODE}<script>alert(1)`, NODE],
    [
      'a quoted tag in an attribute',
      '<circle data-label-name="a<script>b"/>',
      '<circle data-label-name="ascript&gt;b"/>',
    ],
    ['the end of another element', '<g><circle r="1"></g>', '<g><circle r="1"></circle></g>'],
  ])('is written anew with %s', (_, svg, expected) => {
    expect(safeDrawing(svg)).toBe(expected);
  });
});
