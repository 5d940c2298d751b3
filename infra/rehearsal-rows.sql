-- Rows on which the migrations of a branch are rehearsed: ./accounts database rehearse
INSERT INTO user (id, email, email_verified, name, role, plan, created_at, updated_at) VALUES
('u1', 'ada@example.org', 1, 'Ada', 'owner', 'free', 1767225600000, 1767225600000),
('u2', 'grace@example.org', 1, 'Grace', 'member', 'premium', 1767225600001, 1767225600001),
('u3', 'Edsger+news@example.org', 0, '', 'member', 'free', 1767225600002, 1767225600002);
INSERT INTO account (id, user_id, provider_id, account_id, password, created_at, updated_at) VALUES
('a1', 'u1', 'credential', 'u1', 'hash', 1767225600000, 1767225600000),
('a2', 'u2', 'google', '1001', NULL, 1767225600001, 1767225600001),
('a3', 'u3', 'credential', 'u3', 'hash', 1767225600002, 1767225600002);
INSERT INTO session (id, user_id, token, ip_address, user_agent, expires_at, created_at, updated_at) VALUES
('s1', 'u1', 'token-1', '192.0.2.1', 'Firefox', 1798761600000, 1767225600000, 1767225600000),
('s2', 'u2', 'token-2', NULL, NULL, 1798761600000, 1767225600001, 1767225600001),
('s3', 'u2', 'token-3', '2001:db8::1', 'Safari', 1798761600000, 1767225600001, 1767225600001);
