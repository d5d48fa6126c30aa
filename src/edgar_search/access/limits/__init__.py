"""How much an account may call: plans, rates and monthly quotas."""
