/**
 * Policies as JSON: all that the middle form holds, so that a policy of any format can be kept,
 * edited by programs and read again. {@code docs/json-policy.md} lists the members.
 *
 * <pre>
 * document   {"sluice_policy": 1, "policies": [policy, ...]}
 * policy     {"name", "judges": condition, "stages": [stage, ...], "untracked": stage}
 * stage      {"name", "base", "judges": condition, "sees", "end": rule, "chains": {NAME: [rule, ...]}}
 * sees       {"in_interface", "out_interface", "forwarded", "reassembled": condition, "states"}
 * rule       {"file", "line", "chain", "text", "comment", "packets", "bytes", "action",
 *             "outcome": permit | deny | jump | goto | return | continue, "to", "condition"}
 * condition  {"all": [...]} | {"any": [...]} | {"not": ...} | {"field", "in": [value, ...]}
 *            | {"field", "bits": "VALUE/MASK"} | {"states": [...]} | {"in_interface"}
 *            | {"out_interface"} | {"field", "host", "words"} | {"unknown"}
 * value      80 | "80-90" | "192.0.2.1" | "192.0.2.0/24" | "192.0.2.1-192.0.2.9"
 * </pre>
 *
 * <p>A condition that is left out holds of every packet. Each rule is a line.
 */
@NullMarked
package dev.sluice.policy.json;

import org.jspecify.annotations.NullMarked;
