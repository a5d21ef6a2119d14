/**
 * Reader of configurations of FortiGate.
 *
 * <pre>
 * text    = { table }
 * table   = "config" NAME { entry | setting | table } "end"
 * entry   = "edit" NAME { setting | table } "next"
 * setting = ( "set" | "append" ) NAME { value } | "unset" NAME
 * </pre>
 *
 * <p>Tables that are read, also those of each virtual domain: {@code firewall policy}, {@code
 * policy6}, {@code consolidated policy}, {@code local-in-policy}, {@code address}, {@code addrgrp}
 * (and those of IPv6), {@code service custom}, {@code service group}, {@code schedule}, {@code
 * system zone}, {@code system sdwan}. Services that the file lacks are those that FortiOS has from
 * the start, from {@code services.txt}.
 *
 * <p>The policies of a virtual domain are one stage in the order of the file, which is that of the
 * device, behind packets of allowed connections and before the implicit deny. A policy judges IPv4
 * where it has {@code srcaddr} and {@code dstaddr}, and IPv6 where it has {@code srcaddr6} and
 * {@code dstaddr6}.
 */
@NullMarked
package dev.sluice.policy.fortigate;

import org.jspecify.annotations.NullMarked;
