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

function attributes(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)\s*=\s*(["'])(.*?)\2/g)].map(([, name = '', , value = '']) => [name, value]),
  );
}
