import type { SceneObject } from '../scene/scene';
import type { ShownObject } from '../canvas/content';
import { type Cuboid, cuboidOf } from './cuboid';

/** A cuboid of the frame with its display colour. */
export interface ShownCuboid {
  readonly key: string;
  readonly object: SceneObject;
  readonly color: string;
  readonly cuboid: Cuboid;
  readonly isDashed: boolean;
}

/** The cuboids among the objects that are visible on the frame. */
export const cuboidsAmong = (objects: readonly ShownObject[]): ShownCuboid[] =>
  objects.flatMap(({ object, color }) =>
    isVisible(object)
      ? [{ key: object.key, object, color, cuboid: cuboidOf(object.points), isDashed: object.occluded }]
      : [],
  );

const isVisible = ({ type, outside }: SceneObject): boolean => type === 'cuboid' && !outside;
