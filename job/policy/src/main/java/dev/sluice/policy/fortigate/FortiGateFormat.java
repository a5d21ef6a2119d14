package dev.sluice.policy.fortigate;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Configurations of FortiGate, as {@code show} prints them. */
public final class FortiGateFormat implements PolicyFormat {
    private static final Pattern TEXT =
            Pattern.compile(
                    "(?m)\\A#config-version=F|^[ \\t]*config (?:firewall|system (?:global|interface|zone)|vdom)\\b.*\\R"
                            + "(?:[ \\t]*(?:#.*)?\\R)*[ \\t]*(?:edit|set|end|config)\\b");

    @Override
    public String label() {
        return "fortigate";
    }

    @Override
    public String title() {
        return "FortiGate configuration";
    }

    @Override
    public String example() {
        return "config firewall policy";
    }

    @Override
    public boolean claims(String begin) {
        return TEXT.matcher(begin).find();
    }

    @Override
    public boolean tellsBothVersions() {
        return true;
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        ConfigNode root = FortiText.read(in, in.text());
        if (in.hasDefects()) {
            return Map.of();
        }
        Map<String, Policy> policies = new FortiPolicies(in, skipUnsupported).of(root);
        return in.hasDefects() ? Map.of() : policies;
    }
}
