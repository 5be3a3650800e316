// Package durable replaces files so that nobody ever finds half of one: the new
// text is written beside, synced, and renamed into its place.
package durable
