package dev.sluice.policy.nft;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Rulesets of nftables, as text or as JSON. */
public final class NftFormat implements PolicyFormat {
    private static final String FAMILY = "(?:(?:ip|ip6|inet|arp|bridge|netdev)\\s+)?";

    private static final Pattern TEXT =
            Pattern.compile(
                    "(?m)^\\s*(?:table\\s+"
                            + FAMILY
                            + "[\\w.\\-/\"]+\\s*\\{|(?:(?:add|create|delete|destroy|insert|flush)\\s+)?"
                            + "(?:table|chain|rule)\\s+"
                            + FAMILY
                            + "\\w|flush\\s+ruleset|#!\\S*nft\\b|include\\s+\")");

    private static final Pattern JSON = Pattern.compile("\\A\\s*\\{\\s*\"nftables\"\\s*:");

    @Override
    public String label() {
        return "nft";
    }

    @Override
    public String title() {
        return "nft list ruleset";
    }

    @Override
    public String example() {
        return "table inet filter { chain input { tcp dport 22 accept; }; }";
    }

    @Override
    public boolean claims(String begin) {
        return JSON.matcher(begin).find() || TEXT.matcher(begin).find();
    }

    @Override
    public boolean tellsBothVersions() {
        return true;
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        String text = in.text();
        NftPolicies policies = new NftPolicies(in, skipUnsupported);
        List<Node> commands = new ArrayList<>();
        if (text.stripLeading().startsWith("{")) {
            try {
                commands.addAll(JsonReader.commands(in.file(), text));
            } catch (RefusedException e) {
                policies.refuse(e);
            }
        } else {
            commands.addAll(TextReader.commands(in.file(), text, policies));
        }
        return policies.of(commands);
    }
}
