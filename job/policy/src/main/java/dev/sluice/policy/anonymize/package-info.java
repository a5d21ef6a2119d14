/**
 * Policies under other names: addresses, interfaces, chains, sets and comments are replaced in
 * place, so that a policy can go into a bug report.
 *
 * <p>Addresses keep their prefixes (Crypto-PAn; Xu, Fan, Ammar, Moon, ICNP 2002): two addresses
 * that share n leading bits share n bits afterwards. So a prefix is a prefix again, and packets
 * whose addresses are replaced under the same key have the verdicts that they had. Where prefixes
 * do not suffice, as for a range from one address to another, the bits below the common prefix of
 * both stay.
 *
 * <p>Words keep their beginnings in the same way: {@code eth0} and {@code eth+} fit again.
 */
@NullMarked
package dev.sluice.policy.anonymize;

import org.jspecify.annotations.NullMarked;
