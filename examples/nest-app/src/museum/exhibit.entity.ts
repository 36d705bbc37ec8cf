import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity()
export class Exhibit {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text')
  title!: string;

  @Column('int')
  roomNumber!: number;
}
