import { Body, Controller, Delete, Get, HttpCode, NotFoundException, Param, ParseIntPipe, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { StaffOnly } from './staff.guard.js';

class NewExhibit {
  @ApiProperty()
  @IsString()
  @Length(1, 100)
  title!: string;
}

interface Exhibit extends NewExhibit {
  readonly id: number;
}

/** Routes without passes. Passwright does not change them. */
@Controller('exhibits')
export class ExhibitsController {
  private readonly exhibits: Exhibit[] = [];

  @Get()
  list(): readonly Exhibit[] {
    return this.exhibits;
  }

  @Get(':id')
  get(@Param('id', ParseIntPipe) id: number): Exhibit {
    return this.found(id);
  }

  @Get(':id/label')
  label(@Param('id', ParseIntPipe) id: number): string {
    return this.found(id).title;
  }

  @Get(':id/artist/:name')
  artist(): never {
    throw new Error('This is not foreseen.');
  }

  @Post()
  @StaffOnly()
  create(@Body() { title }: NewExhibit): Exhibit {
    const exhibit = { id: this.exhibits.length + 1, title };
    this.exhibits.push(exhibit);
    return exhibit;
  }

  @Delete(':id')
  @StaffOnly()
  @HttpCode(204)
  remove(@Param('id', ParseIntPipe) id: number): void {
    this.exhibits.splice(this.exhibits.indexOf(this.found(id)), 1);
  }

  private found(id: number): Exhibit {
    const exhibit = this.exhibits.find((each) => each.id === id);
    if (!exhibit) throw new NotFoundException(`There is no exhibit ${id}.`);
    return exhibit;
  }
}
