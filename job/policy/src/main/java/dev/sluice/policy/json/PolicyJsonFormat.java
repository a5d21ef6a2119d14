package dev.sluice.policy.json;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Policies as JSON, which {@code rules convert --to json} writes. */
public final class PolicyJsonFormat implements PolicyFormat {
    private static final Pattern DOCUMENT =
            Pattern.compile("\\A\\s*\\{\\s*\"" + PolicyJsonWriter.VERSION_MEMBER + "\"\\s*:");

    private static final String REMEDY = "make it by sluice rules convert --to json";

    @Override
    public String label() {
        return "json";
    }

    @Override
    public String title() {
        return "Sluice's JSON";
    }

    @Override
    public String example() {
        return "{\"sluice_policy\": 1, \"policies\": [...]}, by rules convert --to json";
    }

    @Override
    public boolean claims(String begin) {
        return DOCUMENT.matcher(begin).find();
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line = in.next(); line != null; line = in.next()) {
            text.append(line).append('\n');
        }
        Consumer<YamlException> skipped =
                e -> in.warn(e.file(), e.line(), "skipped: " + e.getMessage());
        try {
            List<YamlNode> values = JsonNodes.of(in.file(), text.toString(), REMEDY);
            if (values.size() > 1) {
                YamlNode second = values.get(1);
                throw second.at().refused(second.words(), "stands behind the policy");
            }
            return new PolicyJsonReader(skipUnsupported ? skipped : null).policies(values.get(0));
        } catch (YamlException e) {
            in.defect(e.file(), e.line(), e.defect());
            return Map.of();
        }
    }
}
