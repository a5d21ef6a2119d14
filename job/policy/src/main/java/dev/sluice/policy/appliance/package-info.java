/**
 * Parts that formats of stateful firewalls share: sets of addresses, trees of settings, the names
 * of zones, and a stage that lets packets of allowed connections through before all rules.
 */
@NullMarked
package dev.sluice.policy.appliance;

import org.jspecify.annotations.NullMarked;
