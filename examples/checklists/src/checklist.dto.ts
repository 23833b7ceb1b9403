import { ApiProperty } from '@nestjs/swagger';
import { BoolField, IntField, NestedField, TextField } from 'cairn/extension';

export class ItemInputDto {
  @TextField({ max: 500 }) text!: string;
  @BoolField({ optional: true }) done?: boolean;
}

export class CreateChecklistDto {
  @IntField() project_id!: number;
  @TextField({ max: 200 }) title!: string;
  @NestedField(() => ItemInputDto, { list: true, optional: true }) items?: ItemInputDto[];
}

export class UpdateChecklistDto {
  @TextField({ max: 200, optional: true }) title?: string;
  @NestedField(() => ItemInputDto, { list: true, optional: true, description: 'Replaces all items' })
  items?: ItemInputDto[];
}

export class ItemDto {
  @ApiProperty({ maxLength: 500 }) text!: string;
  @ApiProperty() done!: boolean;
}

export class ChecklistDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty() project_id!: number;
  @ApiProperty({ maxLength: 200 }) title!: string;
  @ApiProperty({ type: [ItemDto] }) items!: ItemDto[];
  @ApiProperty({ description: 'Every item is done' }) complete!: boolean;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}
