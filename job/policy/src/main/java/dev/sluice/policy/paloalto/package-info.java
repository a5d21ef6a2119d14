/**
 * Reader of configurations of Palo Alto Networks firewalls and of Panorama.
 *
 * <pre>
 * text      = XML | { "set" path } | braces                one tree of settings in each form
 * braces    = { path ( ";" | "{" braces "}" ) }
 * path      = { word } [ word | "[" { word } "]" ]
 * scope     = vsys | device-group | "shared" | "policy panorama" | the whole
 * objects   = "address" | "address-group" | "service" | "service-group" | "external-list" | "region"
 * rules     = ( "pre-rulebase" | "rulebase" | "post-rulebase" ) "security" "rules"
 * defaults  = "default-security-rules" ( "intrazone-default" | "interzone-default" )
 * zones     = "zone" NAME "network" kind interfaces
 * </pre>
 *
 * <p>A policy is one stage. Its rules are those of {@code pre-rulebase}, the outermost scope first,
 * the scope's own, then those of {@code post-rulebase}, the innermost scope first; then packets
 * within a zone are allowed, and those between zones denied. A name is that of the nearest scope
 * which defines it.
 *
 * <p>Rules see addresses as packets arrive, before NAT, and the zone that they leave by. No header
 * tells applications, users and contents: conditions on them are unknown.
 */
@NullMarked
package dev.sluice.policy.paloalto;

import org.jspecify.annotations.NullMarked;
