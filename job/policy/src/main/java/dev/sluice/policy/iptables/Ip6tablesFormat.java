package dev.sluice.policy.iptables;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;

/** Output of {@code ip6tables-save}, for IPv6. */
public final class Ip6tablesFormat implements PolicyFormat {
    @Override
    public String label() {
        return "ip6tables";
    }

    @Override
    public String title() {
        return "ip6tables-save";
    }

    @Override
    public String example() {
        return "-A INPUT -s 2001:db8::/32 -p ipv6-icmp -j ACCEPT";
    }

    @Override
    public boolean claims(String begin) {
        return IptablesFormat.isTables(begin) && IptablesFormat.isV6(begin);
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        return Hooks.policies(in, true, skipUnsupported);
    }
}
