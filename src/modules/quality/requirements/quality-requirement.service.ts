import { Injectable } from '@nestjs/common';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, NotFound } from '../../../core/http/errors/errors.js';
import { listOrganization, ListService } from '../../../core/list/list.service.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { qualityPolicy } from '../../../shared/policy/quality.policy.js';
import { type QualitySettingsRow, SETTINGS_COLUMNS } from '../settings/quality-settings.dto.js';
import { QualitySettingsService } from '../settings/quality-settings.service.js';
import {
  BASE_REQUIREMENT,
  type QualityRequirementDto,
  type QualityRequirementListItemDto,
  qualityRequirementList,
  toRequirement,
  toRequirementListItem,
  toSettingsChange,
  type UpdateQualityRequirementDto,
} from './quality-requirement.dto.js';

/** Shows quality settings the way CVAT 2.80 does. Each has one requirement, the base. */
@Injectable()
export class QualityRequirementService {
  constructor(
    private readonly settings: QualitySettingsService,
    private readonly lists: ListService,
  ) {}

  list(actor: Actor, query: Query): Promise<Page<QualityRequirementListItemDto>> {
    const options = {
      select: SETTINGS_COLUMNS,
      visible: qualityPolicy.visible(actor),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/quality/settings/requirements`,
    };
    return this.lists.page<QualitySettingsRow, QualityRequirementListItemDto>(
      qualityRequirementList,
      options,
      toRequirementListItem,
    );
  }

  async get(actor: Actor, id: number): Promise<QualityRequirementDto> {
    const row = await this.settings.find(actor, id);
    if (row === undefined) throw NotFound.of('QualityRequirement');
    return toRequirement(row);
  }

  /** Only the given fields change: those of the settings. */
  async update(
    actor: Actor,
    id: number,
    body: Unvalidated<UpdateQualityRequirementDto>,
  ): Promise<QualityRequirementDto> {
    const changed = await this.settings.change(actor, id, {
      resource: 'quality_requirement',
      render: toRequirement,
      read: () => {
        const dto = body.validate();
        requireBase(dto);
        return toSettingsChange(dto);
      },
    });
    if (changed === undefined) throw NotFound.of('QualityRequirement');
    return toRequirement(changed);
  }
}

/** @throws Invalid for a change of what is the same for every base */
function requireBase(dto: UpdateQualityRequirementDto): void {
  const problems: Record<string, string[]> = {};
  const fixed = toRequirementFields(dto);
  for (const [name, [value, expected, problem]] of Object.entries(fixed))
    if (value !== undefined && value !== expected) problems[name] = [problem];
  const { default: byDefault, rules = [] } = dto.attribute_comparison ?? {};
  if (rules.length > 0 || (byDefault?.comparator ?? 'exact') !== 'exact')
    problems['attribute_comparison'] = ['All attributes are compared exactly, or none is.'];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

const toRequirementFields = (dto: UpdateQualityRequirementDto): Record<string, [unknown, unknown, string]> => ({
  name: [dto.name, BASE_REQUIREMENT, `The name is always ${BASE_REQUIREMENT}.`],
  sort_order: [dto.sort_order, 0, 'The only requirement has position 0.'],
  filter: [dto.filter, '', 'All annotations are compared. Use the job filter of the settings instead.'],
  enabled: [dto.enabled, true, 'The only requirement is always enabled.'],
  annotation_type: [dto.annotation_type, null, 'Annotations of all types are compared.'],
  parent_requirement: [dto.parent_requirement, null, 'The only requirement has no parent.'],
});
