import { skeletonEdges } from './skeleton';

const SVG = `<line x1="1" y1="1" x2="2" y2="2" stroke="black" data-type="edge" data-node-from="1" data-node-to="2"></line>
  <line data-node-to='3' data-node-from='2' data-type='edge'/>
  <circle r="1.5" cx="1" cy="1" data-type="element node" data-element-id="1" data-node-id="1" data-label-id="11"></circle>
  <circle data-type="element node" data-node-id="2" data-label-id="12"></circle>
  <circle data-type="element node" data-node-id="3" data-label-id="13"></circle>`;

describe('skeletonEdges', () => {
  it('finds edges whatever the order of elements and attributes', () => {
    expect(skeletonEdges(SVG)).toEqual([
      { from: 11, to: 12 },
      { from: 12, to: 13 },
    ]);
  });

  it('leaves out edges to elements that are not there', () => {
    expect(
      skeletonEdges('<line data-node-from="1" data-node-to="9"><circle data-node-id="1" data-label-id="11">'),
    ).toEqual([]);
    expect(skeletonEdges('')).toEqual([]);
  });
});
