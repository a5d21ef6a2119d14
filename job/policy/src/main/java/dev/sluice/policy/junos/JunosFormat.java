package dev.sluice.policy.junos;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Configurations of Juniper's Junos: firewall filters, and zone policies of SRX. */
public final class JunosFormat implements PolicyFormat {
    private static final Pattern COMMAND =
            Pattern.compile(
                    "(?m)^[ \\t]*(set|deactivate)[ \\t]+(groups \\S+ )?(firewall (family \\S+ )?filter \\S+"
                            + "|security (policies|zones|address-book)\\b"
                            + "|policy-options prefix-list|applications application"
                            + "|interfaces \\S+ unit \\d+ (family|description))");

    private static final Pattern BRACES =
            Pattern.compile(
                    "(?m)(^|[{;])[ \\t]*((inactive|replace|protect):[ \\t]*)*(filter \\S+"
                            + "|from-zone \\S+ to-zone \\S+|security-zone \\S+|term \\S+|unit \\d+"
                            + "|policy-options|family inet6?|address-book|applications)[ \\t]+\\{");

    @Override
    public String label() {
        return "junos";
    }

    @Override
    public String title() {
        return "Junos";
    }

    @Override
    public String example() {
        return "set firewall family inet filter F term T then accept";
    }

    @Override
    public boolean claims(String begin) {
        return COMMAND.matcher(begin).find() || BRACES.matcher(begin).find();
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        return JunosPolicies.read(in, skipUnsupported);
    }
}
