"""A decomposition in the forms of other programs: SQL, lookup tables, objects that other libraries draw."""
