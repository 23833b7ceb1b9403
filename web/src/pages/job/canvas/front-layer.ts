import { Konva } from 'konva/lib/Core';
import { Rect } from 'konva/lib/shapes/Rect';
import type { Bounds } from '../scene/drawing';
import type { Pin } from './content';
import { PIN_COLORS, Pins } from './pins';
import { drawRuler, type Measurement } from './ruler';
import type { View } from './viewport';

interface FrontPainter {
  view(): View;
  /** Draws the marks of objects, and what is being edited. */
  paint(context: CanvasRenderingContext2D): void;
}

/** What changes immediately, above the painted frame: marks, the shape being drawn, the ruler, issue pins, and a box. */
export class FrontLayer {
  readonly layer = new Konva.Layer();
  private readonly pins = new Pins();
  private readonly box = new Rect({
    visible: false,
    listening: false,
    stroke: PIN_COLORS.open,
    strokeScaleEnabled: false,
  });
  private measurement: Measurement | undefined;

  constructor(private readonly painter: FrontPainter) {
    const sceneFunc = ({ _context: context }: Konva.Context): void => this.paint(context);
    this.layer.add(new Konva.Shape({ listening: false, sceneFunc }), this.pins.node, this.box);
  }

  redraw(): void {
    this.layer.batchDraw();
  }

  setPins(pins: readonly Pin[]): void {
    this.pins.show(pins);
    this.redraw();
  }

  /** Keeps the pins upright while the image is turned. */
  look(view: View): void {
    this.pins.keepUpright(view);
  }

  measure(measurement: Measurement | undefined): void {
    this.measurement = measurement;
    this.redraw();
  }

  showBox(box: Bounds | undefined): void {
    this.box.visible(box !== undefined);
    if (box !== undefined) {
      this.box.setAttrs({ x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
    }
    this.redraw();
  }

  private paint(context: CanvasRenderingContext2D): void {
    this.painter.paint(context);
    if (this.measurement !== undefined) drawRuler(context, this.measurement, this.painter.view());
  }
}
