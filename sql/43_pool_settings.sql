/* Which settings make jobs comparable: the model and the framework with its version; never scale, seed or host names. */
INSERT INTO @extschema@.l4_pool_setting (key, weight, builtin) VALUES ('model', 1, true), ('framework', 1, true);
