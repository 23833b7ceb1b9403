/** An edge between two elements of a skeleton, by the ids of their labels. */
export interface SkeletonEdge {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses the edges from the SVG of a skeleton label: `<circle data-node-id="1" data-label-id="7" …>` for elements,
 * `<line data-type="edge" data-node-from="1" data-node-to="2" …>` for edges. The SVG is parsed, but never rendered.
 */
export function skeletonEdges(svg: string): SkeletonEdge[] {
  const labels = new Map<string, number>();
  const lines: [string, string][] = [];
  for (const [, name = '', rest = ''] of svg.matchAll(/<([a-z]+)\b([^<>]*)>/gi)) {
    const value = attributes(rest);
    const [node, label] = [value.get('data-node-id'), Number(value.get('data-label-id'))];
    if (node !== undefined && Number.isInteger(label)) labels.set(node, label);
    const [from, to] = [value.get('data-node-from'), value.get('data-node-to')];
    if (name.toLowerCase() === 'line' && from !== undefined && to !== undefined) lines.push([from, to]);
  }
  return lines.flatMap(([from, to]) => {
    const [start, end] = [labels.get(from), labels.get(to)];
    return start === undefined || end === undefined ? [] : [{ from: start, to: end }];
  });
}

/** An element of a skeleton's template, by the id of its label. */
export interface SkeletonNode {
  readonly labelId: number;
  readonly x: number;
  readonly y: number;
}

/** Parses the positions of the elements from the SVG of a skeleton label. Only their proportions have a meaning. */
export function skeletonNodes(svg: string): SkeletonNode[] {
  return Array.from(svg.matchAll(/<circle\b([^<>]*)>/gi), ([, text = '']) => {
    const value = attributes(text);
    return { labelId: Number(value.get('data-label-id')), x: Number(value.get('cx')), y: Number(value.get('cy')) };
  }).filter(({ labelId, x, y }) => Number.isInteger(labelId) && Number.isFinite(x) && Number.isFinite(y));
}

function attributes(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)\s*=\s*(["'])(.*?)\2/g)].map(([, name = '', , value = '']) => [name, value]),
  );
}
