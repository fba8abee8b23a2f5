CREATE INDEX redemption_code_last_four ON redemption_code (last_four);
