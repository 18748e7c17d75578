-- What a public catalog says of models, as the operator last fetched it. Nothing is ever removed here: a model that left
-- the catalog keeps its limits and its price for whoever still uses it, and past prices keep their dates.

create table svc.catalog_models (
  provider text not null,
  model text not null,
  facts jsonb not null,
  changed_at timestamptz not null,
  gone_at timestamptz,
  primary key (provider, model)
);

create table svc.catalog_prices (
  provider text not null,
  model text not null,
  effective_from timestamptz not null,
  price jsonb not null,
  primary key (provider, model, effective_from)
);

-- One row: the last refresh that counted, and the last that was tried.
create table svc.catalog_state (
  only_row boolean primary key default true check (only_row),
  refreshed_at timestamptz,
  last_refresh jsonb
);
insert into svc.catalog_state default values;
