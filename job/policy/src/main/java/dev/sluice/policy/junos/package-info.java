/**
 * Configurations of Juniper's Junos, in either text form.
 *
 * <pre>
 * text      = { statement } | { command } ;
 * statement = { tag } words [ "[" { word } "]" ] ( ";" | "{" { statement } "}" ) ;
 * tag       = "inactive:" | "replace:" | "delete:" | "protect:" ;
 * command   = ( "set" | "deactivate" | "delete" ) words [ "[" { word } "]" ] newline ;
 * words     = word { word } ;
 * word      = characters without blanks | '"' characters '"' ;
 * comment   = "#" to the end of the line | "/*" to "*&#47;" ;
 * </pre>
 *
 * <p>Both forms make one tree of words ({@code ConfigReader}, {@code Statement}). The readers look
 * up what they know of it: {@code firewall}, {@code interfaces}, {@code policy-options}, {@code
 * security}, {@code applications}. Other parts are passed over.
 *
 * <pre>
 * stage in        the filter of the interface that a packet came in by
 * stage policies  SRX: replies, then the policies of the two zones, then those of all zones
 * stage out       the filter of the interface that it leaves by
 * </pre>
 *
 * <p>A filter is a chain of its terms; the stage's base chain jumps there, and discards behind it.
 */
@NullMarked
package dev.sluice.policy.junos;

import org.jspecify.annotations.NullMarked;
