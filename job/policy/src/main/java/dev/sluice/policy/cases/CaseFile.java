package dev.sluice.policy.cases;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlText;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * File of cases.
 *
 * @param rules the rule file that it names, as {@code FILE#LIST}; null: it names none
 */
public record CaseFile(@Nullable Path rules, List<VerdictCase> cases) {
    /**
     * Reads a file.
     *
     * @param given facts about packets where the file says none
     * @throws SluiceException naming the first defect with file, line, column and remedy
     */
    public static CaseFile read(Path file, Assumptions given) {
        try {
            List<YamlNode> documents = YamlText.read(file.toString(), text(file), Set.of());
            if (documents.size() != 1) {
                throw new SluiceException(
                        "%s: holds %d documents; write one with the fields rules and cases"
                                .formatted(file, documents.size()));
            }
            return read(file, YamlFields.of(documents.get(0)), given);
        } catch (YamlException e) {
            if (Files.isRegularFile(file) && OpenRules.isRules(file)) {
                throw new SluiceException(
                        file + ": holds rules; name a file of cases, and the rules by --rules", e);
            }
            throw new SluiceException(
                    "%s:%d:%d: %s"
                            .formatted(e.file(), e.line(), e.defect().column(), e.getMessage()),
                    e);
        }
    }

    private static String text(Path file) {
        try (BufferedReader in = TextFiles.open(file)) {
            String text = in.lines().map(TextFiles::inUtf8).collect(Collectors.joining("\n"));
            if (text.indexOf('\0') >= 0) {
                throw new SluiceException(
                        file
                                + ": holds binary data, such as a capture; name a file of cases in YAML, and judge captures by sluice classify");
            }
            return text;
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file of cases", file, e), e);
        }
    }

    private static CaseFile read(Path file, YamlFields fields, Assumptions given)
            throws YamlException {
        String rules = fields.string("rules");
        YamlFields assume = fields.fields("assume");
        Assumptions assumed = assume == null ? given : CasePacket.assumptions(assume, given);
        if (assume != null) {
            assume.requireNoMore("assume");
        }
        List<VerdictCase> cases = new ArrayList<>();
        for (YamlNode node : fields.require("cases").values()) {
            cases.add(one(YamlFields.of(node), assumed));
        }
        fields.requireNoMore("a file of cases");
        if (cases.isEmpty()) {
            throw fields.at()
                    .refused("cases", "holds no case; write one as docs/guide/rule-tests.md shows");
        }
        Path beside = rules == null ? null : file.resolveSibling(rules);
        return new CaseFile(beside, cases);
    }

    private static VerdictCase one(YamlFields fields, Assumptions assumed) throws YamlException {
        String name = fields.requireString("name");
        CasePacket packet = CasePacket.read(YamlFields.of(fields.require("packet")), assumed);
        YamlNode expected = fields.require("expect");
        Integer line = fields.number("line", 1, 999_999_999);
        fields.requireNoMore("a case");
        return new VerdictCase(
                fields.at(),
                name,
                packet.header(),
                packet.assumed(),
                expected.at(),
                expected.string(),
                line);
    }
}
