package dev.sluice.policy.iptables;

import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.HostZone;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a file that its rules depend on.
 *
 * @param v6 whether its rules are of IPv6
 * @param nft whether its first lines name nftables as the back end, which reads ports otherwise
 * @param skip whether rules that are not understood are skipped
 * @param targets targets of all rules: some change fields that other rules match
 * @param marks whether rules ask for marks
 * @param zone time zone of the host; null: unknown
 * @param host the host; null: unknown
 */
record DumpFacts(
        boolean v6,
        boolean nft,
        boolean skip,
        IpSets sets,
        Set<String> targets,
        boolean marks,
        @Nullable HostZone zone,
        @Nullable Host host) {}
