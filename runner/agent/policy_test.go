package agent

import (
	"testing"
	"time"
)

func TestFaultsOfErrorMessages(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]Fault{
		"API Error: Request rejected (429) · slow down":                                        RateLimit,
		"exceeded retry limit, last status: 429 Too Many Requests":                             RateLimit,
		"Rate limit reached for gpt-5 in organization x. Please try again in 1.2s.":            RateLimit,
		`{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}`:  RateLimit,
		"API Error: Repeated 529 Overloaded errors. The API is at capacity":                    Overload,
		"unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1/v1":    Overload,
		"unexpected status 503 Service Unavailable":                                            Overload,
		"stream disconnected before completion: stream closed before response.completed":       Connection,
		"API Error: API returned an empty or malformed response (HTTP 200)":                    Connection,
		"request to https://x failed, reason: read ECONNRESET":                                 Connection,
		"You've hit your usage limit. Visit https://x to purchase more credits":                UsedUp,
		"You've hit your session limit · resets 3pm (Europe/Berlin)":                           UsedUp,
		"Claude AI usage limit reached|1756000000":                                             UsedUp,
		"You have exhausted your daily quota on this model.":                                   UsedUp,
		"You have exhausted your capacity on this model. Your quota will reset after 3h24m2s.": UsedUp,
		"You have exceeded your monthly quota":                                                 UsedUp,
		"Quota exceeded for quota metric 'Requests' and limit 'Requests per day per user'":     UsedUp,
		"Quota exceeded for quota metric 'Requests' and limit 'Requests per minute per user'":  RateLimit,
		"Invalid API key · Please run /login":                                                  Login,
		"unexpected status 401 Unauthorized":                                                   Login,
		"Credit balance is too low":                                                            Billing,
		"You exceeded your current quota, please check your plan and billing details.":         Billing,
		"found 429 files in 529 folders":                                                       "",
		"error: 4290 lines do not parse":                                                       "",
		"the method is overloadedness itself":                                                  "",
	} {
		if got := faultIn(message); got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

func TestResetsInErrorMessages(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this system has no time zones")
	}
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for message, want := range map[string]time.Time{
		"usage limit reached|1756000000":                    time.Unix(1756000000, 0),
		"usage limit reached|1756000000000":                 time.Unix(1756000000, 0),
		"limit · resets Mar 17, 2030, 5:46pm (UTC)":         time.Date(2030, 3, 17, 17, 46, 0, 0, time.UTC),
		"limit · resets Jan 5, 9am (Europe/Berlin)":         time.Date(2027, 1, 5, 9, 0, 0, 0, berlin),
		"limit · resets 3pm (Europe/Berlin)":                time.Date(2026, 12, 1, 15, 0, 0, 0, berlin),
		"limit · resets 10am":                               time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC),
		"limit. try again at 3:28 PM.":                      time.Date(2026, 12, 1, 15, 28, 0, 0, time.UTC),
		"limit. try again at Dec 8th, 2026 12:30 PM.":       time.Date(2026, 12, 8, 12, 30, 0, 0, time.UTC),
		"limit. or try again in 3 days 6 hours 57 minutes.": now.Add(78*time.Hour + 57*time.Minute),
		"Your quota will reset after 3h24m2s.":              now.Add(3*time.Hour + 24*time.Minute + 2*time.Second),
		"resets 2026-12-01T12:00:00Z":                       now.Add(2 * time.Hour),
		"429: retry-after: 120":                             now.Add(2 * time.Minute),
		"You've hit your limit in 3 folders":                {},
		"You've hit your usage limit":                       {},
		"limit · resets 3pm (Middle/Earth)":                 {},
		"limit · resets 37pm":                               {},
	} {
		got := resetIn(message, now)
		if want.IsZero() != (got == nil) || got != nil && !got.Equal(want) {
			t.Errorf("%s: %v, want %v", message, got, want)
		}
	}
	if got := resetIn("resets 3pm", time.Time{}); got != nil {
		t.Errorf("without a clock: %v", got)
	}
}

func FuzzResetIn(f *testing.F) {
	f.Add("limit · resets Mar 17, 2030, 5:46pm (UTC)")
	f.Add("in 99999999999999999999 days")
	f.Add("resets feb 31 9:99")
	f.Fuzz(func(_ *testing.T, message string) {
		faultIn(message)
		resetIn(message, time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC))
	})
}
