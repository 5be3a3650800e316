package ledger

// checkCritic binds a verdict to the packet it is about (seed 002, The critic
// pass): it needs the pending brief's id, the most valuable next improvement,
// and evidence. A brief id without a verdict would be neither checked nor
// spent, so it is refused.
func (l *Ledger) checkCritic(found *findings, i Iteration) {
	if i.Decision != "" && !oneOf(Decisions(), i.Decision) {
		found.add("decision", "%q is not one of %s", i.Decision, list(Decisions()))
	}
	if i.CriticVerdict == "" {
		if i.CriticBrief != "" {
			found.add("critic_brief", "a brief id without a verdict")
		}
		if i.CriticNext != "" {
			found.add("critic_next", "a critic's next improvement without a verdict")
		}
		return
	}
	needVerdict(found, "", i)
	switch {
	case i.CriticBrief == "":
	case l.Pending == nil:
		found.add("critic_brief", "no brief is pending; a brief is spent by the verdict it bought")
	case string(i.CriticBrief) != l.Pending.BriefID:
		found.add("critic_brief", "%q is not the pending brief %s", i.CriticBrief, l.Pending.BriefID)
	}
}

// needVerdict checks what a recorded verdict must carry, whoever wrote it.
func needVerdict(found *findings, prefix string, i Iteration) {
	if !oneOf(CriticVerdicts(), i.CriticVerdict) {
		found.add(prefix+"critic_verdict", "%q is not one of %s", i.CriticVerdict, list(CriticVerdicts()))
	}
	if i.CriticBrief == "" {
		found.add(prefix+"critic_brief", "a verdict needs the id of the brief it is about")
	}
	if i.CriticNext == "" {
		found.add(prefix+"critic_next", "a verdict needs the single most valuable next improvement")
	}
	if len(i.EvidencePaths) == 0 {
		found.add(prefix+"evidence_paths", "a verdict needs the path of its evidence")
	}
	if i.Decision == retain && (i.CriticVerdict == "FAIL" || i.CriticVerdict == "REVERT") {
		found.add(prefix+"decision", "a change judged %s is not retained", i.CriticVerdict)
	}
}
