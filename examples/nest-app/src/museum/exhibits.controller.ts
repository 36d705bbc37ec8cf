import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Put,
  Query,
  Redirect,
  StreamableFile,
  Version,
} from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import type { Repository } from 'typeorm';
import { Exhibit } from './exhibit.entity.js';
import { StaffOnly } from './staff.guard.js';

class NewExhibit {
  @ApiProperty()
  @IsString()
  @Length(1, 100)
  title!: string;

  // Convert the value, because form fields and query parameters arrive as text.
  @ApiProperty()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  roomNumber!: number;
}

class ExhibitQuery {
  @ApiPropertyOptional()
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(1000)
  room?: number;
}

@Controller('exhibits')
export class ExhibitsController {
  constructor(@InjectRepository(Exhibit) private readonly exhibits: Repository<Exhibit>) {}

  @Get()
  list(@Query() { room }: ExhibitQuery): Promise<Exhibit[]> {
    return this.exhibits.find({ where: room === undefined ? {} : { roomNumber: room }, order: { id: 'ASC' } });
  }

  @Get('count')
  @Version('2')
  async count(): Promise<object> {
    return { exhibits: await this.exhibits.count() };
  }

  @Get('plan.txt')
  plan(): StreamableFile {
    return new StreamableFile(Buffer.from('Room 1 is on the left.'), { type: 'text/plain' });
  }

  @Get('first')
  @Redirect('1', 302)
  first(): void {
    // The decorator `@Redirect` sends the response.
  }

  @Get(':id')
  async get(@Param('id', ParseIntPipe) id: number): Promise<Exhibit> {
    const exhibit = await this.exhibits.findOneBy({ id });
    if (!exhibit) throw new NotFoundException(`There is no exhibit ${id}.`);
    return exhibit;
  }

  @Post()
  @StaffOnly()
  create(@Body() exhibit: NewExhibit): Promise<Exhibit> {
    return this.exhibits.save({ ...exhibit });
  }

  @Put(':id')
  @StaffOnly()
  replace(@Param('id', ParseIntPipe) id: number, @Body() exhibit: NewExhibit): Promise<Exhibit> {
    return this.exhibits.save({ id, ...exhibit });
  }

  @Delete(':id')
  @StaffOnly()
  @HttpCode(204)
  async remove(@Param('id', ParseIntPipe) id: number): Promise<void> {
    await this.exhibits.delete({ id });
  }
}
