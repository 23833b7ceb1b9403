/** How annotations are compared with the ground truth, by the names of the API. Shares and similarities are 0..1. */
export interface ComparisonSettings {
  compare_attributes: boolean;
  /** The lowest similarity of a pair, for every type. */
  iou_threshold: number;
  /** A warning for pairs below it. */
  low_overlap_threshold: number;
  /** Tolerance of points and elements of skeletons, relative to the size of the object. */
  oks_sigma: number;
  point_size_base: 'image_size' | 'group_bbox_size';
  /** Tolerance of polylines, relative to the size of the image. */
  line_thickness: number;
  compare_line_orientation: boolean;
  line_orientation_threshold: number;
  compare_groups: boolean;
  group_match_threshold: number;
  check_covered_annotations: boolean;
  object_visibility_threshold: number;
  /** Compares only the visible parts of polygons and masks. */
  panoptic_comparison: boolean;
  empty_is_annotated: boolean;
}

export const DEFAULT_COMPARISON: Readonly<ComparisonSettings> = {
  compare_attributes: true,
  iou_threshold: 0.4,
  low_overlap_threshold: 0.8,
  oks_sigma: 0.09,
  point_size_base: 'group_bbox_size',
  line_thickness: 0.01,
  compare_line_orientation: true,
  line_orientation_threshold: 0.1,
  compare_groups: true,
  group_match_threshold: 0.5,
  check_covered_annotations: true,
  object_visibility_threshold: 0.05,
  panoptic_comparison: true,
  empty_is_annotated: false,
};

/** `parameters` of a report. */
export interface ReportParameters extends ComparisonSettings {
  included_annotation_types: readonly string[];
  ignored_attributes: readonly string[];
  inherited: boolean;
  job_filter: string;
}

/** Every type that is compared, by CVAT's names in reports. Cuboids are not. */
const COMPARED_TYPES = ['bbox', 'points', 'mask', 'polygon', 'polyline', 'skeleton', 'label', 'ellipse'] as const;

/**
 * @param settings may have more keys than those of the comparison, which are left out
 * @param used.inherited whether a task uses the settings of its project
 * @param used.job_filter as stored
 */
export function reportParameters(
  settings: ComparisonSettings,
  used: { readonly inherited: boolean; readonly job_filter: string },
): ReportParameters {
  return {
    included_annotation_types: COMPARED_TYPES,
    compare_attributes: settings.compare_attributes,
    ignored_attributes: [],
    iou_threshold: settings.iou_threshold,
    low_overlap_threshold: settings.low_overlap_threshold,
    oks_sigma: settings.oks_sigma,
    point_size_base: settings.point_size_base,
    line_thickness: settings.line_thickness,
    compare_line_orientation: settings.compare_line_orientation,
    line_orientation_threshold: settings.line_orientation_threshold,
    compare_groups: settings.compare_groups,
    group_match_threshold: settings.group_match_threshold,
    check_covered_annotations: settings.check_covered_annotations,
    object_visibility_threshold: settings.object_visibility_threshold,
    panoptic_comparison: settings.panoptic_comparison,
    empty_is_annotated: settings.empty_is_annotated,
    inherited: used.inherited,
    job_filter: used.job_filter,
  };
}
