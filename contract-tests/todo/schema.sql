create table todos (
  id bigint generated always as identity primary key,
  title text not null,
  completed boolean not null default false
);
