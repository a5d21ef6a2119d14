package dev.sluice.policy.cisco;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;

/** Access lists, objects and security levels of a Cisco ASA. */
public final class AsaFormat implements PolicyFormat {
    @Override
    public String label() {
        return "asa";
    }

    @Override
    public String title() {
        return "Cisco ASA";
    }

    @Override
    public String example() {
        return "access-list OUTSIDE extended permit tcp any host 10.0.0.1 eq www";
    }

    @Override
    public boolean claims(String begin) {
        return CiscoDialect.isAsa(begin);
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        AsaText text = new AsaText(in, skipUnsupported);
        text.read(CiscoFormat.lines(in));
        if (text.lists.isEmpty() && text.sides.size() < 2 && !in.hasDefects()) {
            in.defect(1, CiscoFormat.noList());
        }
        Map<String, Policy> policies = new AsaPolicies(text, in, skipUnsupported).policies();
        return in.hasDefects() ? Map.of() : policies;
    }
}
