-- Which models a session used, found by stepping from one to the next instead of reading every day of each.
create index model_usage_session_models on svc.model_usage (subject, detail) where kind = 'session_model';
