package dev.sluice.policy.pf;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Rules of pf, as {@code pf.conf} has them or {@code pfctl -sr} prints them. */
public final class PfFormat implements PolicyFormat {
    private static final Pattern TEXT =
            Pattern.compile(
                    "(?m)^(?:pass|block)[ \\t]*$|^[ \\t]*(?:(?:pass|block|match)"
                            + "(?:[ \\t]+log(?:[ \\t]*\\([^)\\n]*\\))?)?[ \\t]+(?:in|out|quick|all|on|inet6?|from|to|proto"
                            + "|drop|return(?:-\\w+)?|flags)\\b|set[ \\t]+skip[ \\t]+on\\b"
                            + "|table[ \\t]+<|scrub[ \\t]+(?:in|out|on|all)\\b|antispoof[ \\t]"
                            + "|(?:nat-|rdr-)?anchor[ \\t]+\"|(?:nat|rdr|binat)[ \\t]+(?:pass[ \\t]+)?on\\b)");

    @Override
    public String label() {
        return "pf";
    }

    @Override
    public String title() {
        return "pf.conf";
    }

    @Override
    public String example() {
        return "pass in quick on em0 proto tcp from any to any port 22";
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
        PfReader reader = new PfReader(in, in.text(), skipUnsupported);
        List<PfItem> items = reader.read();
        return in.hasDefects() ? Map.of() : new PfPolicies(in, reader).of(items);
    }
}
