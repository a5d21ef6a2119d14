/**
 * Expected verdicts on packets in words, as a user's continuous integration checks them.
 *
 * <pre>
 * rules: server.save#INPUT            the policy, beside this file
 * assume: {state: new, in: eth0}      of all packets, where a packet says nothing else
 * cases:
 *   - name: administrators come in by ssh
 *     packet: {proto: tcp, src: 192.0.2.10, dst: 198.51.100.10, dport: 22}
 *     expect: permit                  permit, deny, depends, not-judged, or an action
 *     line: 13                        line of the rule, if it matters
 * </pre>
 */
@NullMarked
package dev.sluice.policy.cases;

import org.jspecify.annotations.NullMarked;
