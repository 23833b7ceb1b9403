import { Inject, Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors.js';
import type { Unvalidated } from '../../core/http/body.js';
import type { Tx } from '../../core/database/tx.js';
import { Preconditions } from '../../core/http/preconditions.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { LabelChangeDto, LabelDto } from './label.dto.js';
import { LabelOwners } from './label-owners.js';
import { type LabelRow, toLabel } from './label.mapper.js';
import { ownerOf } from './label.queries.js';
import { LabelRepository } from './label.repository.js';
import { deletedLabels, LabelService } from './label.service.js';

const SUBLABEL_CHANGE =
  'Sublabels cannot be modified this way. Please send a PATCH request with updated parent label data instead.';
const SUBLABEL_DELETION =
  'Sublabels cannot be deleted this way. Please send a PATCH request with updated parent label data instead.';

/** Changing one label by its own address: a change of its owner in disguise. */
@Injectable()
export class LabelCommands {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(LabelRepository) private readonly labels: LabelRepository,
    @Inject(LabelService) private readonly service: LabelService,
    @Inject(LabelOwners) private readonly owners: LabelOwners,
    @Inject(Preconditions) private readonly preconditions: Preconditions,
  ) {}

  async update(actor: Actor, id: number, body: Unvalidated<LabelChangeDto>): Promise<LabelDto> {
    const label = await this.find(actor, id);
    if (body.has('deleted')) throw new Invalid({ non_field_errors: ['Labels can be deleted with DELETE only'] });
    if (label.parent_id !== null) throw new InvalidList(SUBLABEL_CHANGE);
    const change = { ...body.validate(), id };
    await this.change(actor, label, change);
    const changed = await this.labels.find(this.db, id);
    if (changed === undefined) throw NotFound.of('Label');
    return toLabel(changed);
  }

  async delete(actor: Actor, id: number): Promise<void> {
    const label = await this.find(actor, id);
    if (label.parent_id !== null) throw new InvalidList(SUBLABEL_DELETION);
    await this.change(actor, label, { id, deleted: true });
  }

  private async change(actor: Actor, label: LabelRow, change: LabelChangeDto): Promise<void> {
    const owner = ownerOf(label);
    const run = async (tx: Tx): Promise<void> => {
      await this.requireUnchanged(tx, label.id);
      await this.service.changeAll(tx, actor, owner, [change]);
    };
    await this.owners.change(owner.kind, actor, owner.id, run, deletedLabels([change]));
  }

  /** @param tx holds the lock of the label's owner */
  private async requireUnchanged(tx: Tx, id: number): Promise<void> {
    const label = await this.labels.find(tx, id);
    if (label === undefined) throw NotFound.of('Label');
    await this.preconditions.require(tx, 'label', toLabel(label));
  }

  private async find(actor: Actor, id: number): Promise<LabelRow> {
    const label = await this.labels.find(this.db, id);
    if (label === undefined) throw NotFound.of('Label');
    const owner = ownerOf(label);
    await this.owners.require(owner.kind, this.db, actor, owner.id, 'update:desc');
    return label;
  }
}
