/**
 * YAML and JSON whose nodes know their lines and columns, read field by field.
 *
 * <p>A text is a sequence of documents. A document is a tree of mappings, sequences and scalars.
 * {@link dev.sluice.policy.yaml.YamlFields} hands out the fields of a mapping, and refuses the
 * fields that nobody took. Scalars that YAML 1.1 and YAML 1.2 read as different types are refused
 * where a string stands.
 *
 * <p>An alias is the node of its anchor. Nesting, and the number of nodes that aliases stand for,
 * are bounded.
 */
@NullMarked
package dev.sluice.policy.yaml;

import org.jspecify.annotations.NullMarked;
