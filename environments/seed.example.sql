-- People of every preview, once this file is called seed.sql: "branch up" runs it while nobody has signed up.
-- Whoever reads the repository knows the password: correct horse battery. At Cloudflare a preview is open to everybody.
INSERT INTO user (id, email, email_verified, name, role, created_at, updated_at) VALUES
  ('seed-owner', 'owner@example.com', 1, 'Olive Owner', 'owner', unixepoch() * 1000, unixepoch() * 1000),
  ('seed-member', 'member@example.com', 1, 'Max Member', 'member', unixepoch() * 1000, unixepoch() * 1000);
INSERT INTO account (id, user_id, provider_id, account_id, password, created_at, updated_at)
SELECT 'account-' || id, id, 'credential', id,
  '00112233445566778899aabbccddeeff:267a33c2ae63f1c2d542f84d50b7d87c68900c8b9475f6a47ade71cf44b234822e0a34af1d226572b5caf52809319d4c486f3d209cc2fd022fb53bb4eaeb35b1',
  created_at, updated_at
FROM user WHERE id LIKE 'seed-%';
