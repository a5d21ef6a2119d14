/**
 * Readers of access lists of Cisco IOS, IOS-XE, NX-OS, IOS-XR, Arista EOS and Cisco ASA.
 *
 * <pre>
 * text     = { list | group | range | interface | line } ;      a configuration, or show access-lists
 * list     = header { [ number ] ( entry | "remark" text ) } ;
 * header   = ( "ip" | "ipv4" | "ipv6" ) "access-list" [ "standard" | "extended" ] NAME
 *          | kind "IP access list" NAME ;                       as show access-lists prints it
 * entry    = ( "permit" | "deny" ) protocol address [ ports ] address [ ports ] { option } [ counts ]
 *          | ( "permit" | "deny" ) address { option } ;         of a standard list
 * address  = "any" | "host" A | A WILDCARD | A "/" LENGTH | ( "object-group" | "addrgroup" ) NAME ;
 * ports    = ( "eq" | "neq" ) PORT { PORT } | ( "lt" | "gt" ) PORT | "range" PORT PORT | group ;
 * group    = "object-group" kind NAME { member } ;
 * range    = "time-range" NAME { "periodic" … | "absolute" … } ;
 * interface= "interface" NAME { "ip access-group" NAME ( "in" | "out" ) | line } ;
 * </pre>
 *
 * <p>A list is a chain that always decides: its end denies. A configuration is a stage {@code in}
 * and a stage {@code out}, each of which jumps to the list of the packet's interface. Entries are
 * read when the whole text is known, as groups may stand behind them. CiscoNames of ports,
 * protocols and ICMP types are the resource {@code names.txt}. An ASA's masks are masks, where the
 * others have wildcards, and its connections come first.
 *
 * <p>Source of what a later fragment does: Cisco, "Access Control Lists and IP Fragments".
 */
@NullMarked
package dev.sluice.policy.cisco;

import org.jspecify.annotations.NullMarked;
