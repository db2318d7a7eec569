create table links (
  hash text collate "C" primary key,
  url text not null
);
